import { defined } from '../../../contract/defined.ts';
import { field, isFields, itemsOf } from '../../json.ts';
import type { RawResource } from '../../model.ts';
import { planned } from '../aws/plan-value.ts';
import type { Related } from '../related.ts';
import { at, isUnknown, list, mapList, readJson, text } from '../values.ts';

/** How Terraform's IAM resources of a type name what they are about. */
export interface IamParts {
  /** Their types without `Policy`, `Binding` or `Member`: `GCP::Storage::BucketIam`. */
  readonly types: string;
  /** The value that names it; a constant function, as an index is kept for it. */
  readonly of: (part: RawResource) => unknown;
}

/** The bindings of an asset's IAM policy, or of the resources beside it that Terraform keeps them in. */
export function iamBindings(raw: RawResource, related: Related, parts: IamParts) {
  const own = at(raw.properties, 'iamPolicy', 'bindings');
  if (own !== undefined) return mapList(own, readBinding);
  const found = ['Policy', 'Binding', 'Member'].flatMap((kind) =>
    related.referring(raw, `${parts.types}${kind}`, parts.of).map((part) => bindingsOf(part)),
  );
  const unknown = found.find(isUnknown);
  return unknown ?? found.flat();
}

function bindingsOf({ properties }: RawResource) {
  const policy = planned(properties, 'policy_data');
  if (isUnknown(policy)) return policy;
  if (policy !== undefined) return mapList(at(readJson(policy), 'bindings'), readBinding);
  return [readBinding(properties)];
}

/** A binding of the API or of Terraform: with `members`, or with one `member`. */
function readBinding(binding: unknown) {
  const condition = planned(binding, 'condition', 'expression');
  const members = at(binding, 'members');
  return {
    role: text(at(binding, 'role')),
    members: list(members ?? at(binding, 'member')),
    ...defined({ condition }),
  };
}

/** The audit configs of a project's IAM policy: which services log which access, and whose access is left out. */
export function auditConfigs(raw: RawResource, related: Related, parts: IamParts) {
  const own = at(raw.properties, 'iamPolicy', 'auditConfigs');
  if (own !== undefined) return mapList(own, readAuditConfig);
  const policies = related.referring(raw, `${parts.types}Policy`, parts.of);
  return [
    ...related
      .referring(raw, `${parts.types}AuditConfig`, parts.of)
      .map((part) => readAuditConfig(part.properties)),
    ...policies.flatMap(({ properties }) =>
      itemsOf(field(readJson(planned(properties, 'policy_data')), 'auditConfigs')).map(
        readAuditConfig,
      ),
    ),
  ];
}

function readAuditConfig(config: unknown) {
  const logs = list(at(config, 'auditLogConfigs') ?? at(config, 'audit_log_config'));
  const entries = isUnknown(logs) ? [] : logs.filter(isFields);
  return {
    service: text(at(config, 'service')),
    log_types: isUnknown(logs)
      ? logs
      : entries.map((one) => text(at(one, 'logType') ?? at(one, 'log_type'))),
    exempted_members: entries.flatMap((one) =>
      itemsOf(at(one, 'exemptedMembers') ?? at(one, 'exempted_members')),
    ),
  };
}
