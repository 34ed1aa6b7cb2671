import { normaliser } from '../normaliser.ts';
import { auditAttributes, auditConfigs, iamBindings, iamOf } from './iam.ts';
import { fromGoogle } from './read-google.ts';

export const project = normaliser({
  types: ['GCP::Cloudresourcemanager::Project'],
  source: 'Resource Manager API v3 reference, Policy, as of 2025-06',
  attributes: {
    'iam.bindings': {
      type: 'list<Binding>',
      meaning: "bindings of the project's IAM policy, without inherited bindings",
      absent: [],
    },
    ...auditAttributes,
  },
  arguments: {
    auditConfigs: 'google_project_iam_audit_config',
  },
  from: fromGoogle((get, raw, related) => ({
    'iam.bindings': iamBindings(raw, related, iamOf.project),
    audit_configs: auditConfigs(raw, related, iamOf.project),
  })),
});
