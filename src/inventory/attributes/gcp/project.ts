import { normaliser } from '../normaliser.ts';
import { auditConfigs, iamBindings, iamOf } from './iam.ts';
import { fromGoogle } from './read-google.ts';

export const project = normaliser({
  types: ['GCP::Cloudresourcemanager::Project'],
  source: 'Resource Manager API v3 reference, Policy, as of 2025-06',
  attributes: {
    'iam.bindings': {
      type: 'list<Binding>',
      meaning: "the project's own IAM policy, not what it inherits",
      absent: [],
    },
    audit_configs: { type: 'list', meaning: 'audit configs of the IAM policy', absent: [] },
    'audit_configs[].service': { type: 'string', meaning: '`allServices` or one service' },
    'audit_configs[].log_types': {
      type: 'list<string>',
      meaning: '`ADMIN_READ`, `DATA_READ`, `DATA_WRITE`',
      spelling: ['ADMIN_READ', 'DATA_READ', 'DATA_WRITE'],
      absent: [],
    },
    'audit_configs[].exempted_members': {
      type: 'list<string>',
      meaning: 'members that are not logged, over all log types',
      absent: [],
    },
  },
  arguments: {
    auditConfigs: 'google_project_iam_audit_config',
  },
  from: fromGoogle((get, raw, related) => ({
    'iam.bindings': iamBindings(raw, related, iamOf.project),
    audit_configs: auditConfigs(raw, related, iamOf.project),
  })),
});
