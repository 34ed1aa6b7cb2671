import { defined } from '../../contract/defined.ts';
import { ownerTagPrefix, readKeyTag } from '../../contract/key-tag.ts';
import type {
  ChangeFacts,
  ExemptionFacts,
  ManualFacts,
  PolicyFacts,
  ViolationFacts,
} from '../../report/evidence/facts.ts';
import type { StoredAuditEntry } from '../audit/collection.ts';
import type { StoredExemption } from '../exemptions/collection.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import type { StoredViolation } from '../violations/collection.ts';
import { expiryOf } from './collection.ts';
import type { StoredManual } from './collection.ts';

/** Characters of a message, and resources of an exemption, that evidence repeats. */
const longestMessage = 1_024;
const mostResources = 100;

/** From which repo a policy was applied, as far as its tags say. */
function gitOf(tags: readonly string[]): PolicyFacts['git'] {
  const owners = tags.filter((tag) => tag.startsWith(ownerTagPrefix));
  const [owner] = owners;
  const { key, stamp } = readKeyTag(tags);
  const project = owners.length === 1 ? owner?.slice(ownerTagPrefix.length) : undefined;
  const found = defined({ project, key, applied: stamp });
  return Object.keys(found).length > 0 ? found : undefined;
}

export type DescribedPolicy = Omit<PolicyFacts, 'tally' | 'samples' | 'violations'>;

export const describePolicy = (policy: StoredPolicy): DescribedPolicy => ({
  id: policy.id,
  name: policy.name,
  ...defined({ description: policy.description }),
  resource_type: policy.resource_type,
  severity: policy.severity ?? 'MEDIUM',
  enabled: policy.enabled !== false,
  rules: policy.rules.map(({ condition, effect, message }) => ({
    condition,
    effect,
    ...defined({ message }),
  })),
  updated_at: policy.updated_at,
  ...defined({ git: gitOf(policy.tags ?? []) }),
});

export const describeViolation = (violation: StoredViolation): ViolationFacts => ({
  id: violation.id,
  resource_id: violation.resource_id,
  resource_type: violation.resource_type,
  severity: violation.severity,
  status: violation.status,
  message: violation.message.slice(0, longestMessage),
  detected_at: violation.detected_at,
  ...defined({
    resolved_at: violation.resolved_at,
    account_id: violation.account_id,
    region: violation.region,
    environment: violation.environment,
    exemption_id: violation.exemption_id,
    reason: violation.reason?.slice(0, longestMessage),
  }),
});

export const describeExemption = (exemption: StoredExemption): ExemptionFacts => ({
  id: exemption.id,
  policy: exemption.policy,
  resources: exemption.resources.slice(0, mostResources),
  resources_total: exemption.resources.length,
  reason: exemption.reason.slice(0, longestMessage),
  owner: exemption.owner,
  expires: exemption.expires,
  status: exemption.status,
  created_at: exemption.created_at,
});

/** Neither the key nor the request that made the change: they tell of a connection. */
export const describeChange = (entry: StoredAuditEntry): ChangeFacts => ({
  sequence: entry.sequence,
  at: entry.at,
  actor: entry.actor,
  action: entry.action,
  subject: entry.subject,
  ...defined({ changes: entry.changes, hash: entry.hash }),
});

export const describeManual = (manual: StoredManual): ManualFacts => ({
  id: manual.id,
  control: manual.control_id,
  ...defined({ text: manual.text }),
  ...(manual.file ? { file: describeFile(manual.file) } : {}),
  expires: expiryOf(manual),
  created_at: manual.created_at,
  created_by: manual.created_by,
});

export const describeFile = ({
  name,
  media_type,
  size,
  sha256,
}: NonNullable<StoredManual['file']>) => ({ name, media_type, size, sha256 });
