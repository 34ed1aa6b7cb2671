import { severities } from '../../contract/policies.ts';
import type { Severity } from '../../contract/policies.ts';

/** What rows are ordered by: the highest severity first, then the policy's name; the id tells namesakes apart. */
export const orderKey = (severity: Severity, policy: string, policyId: string): string =>
  `${severities.length - severities.indexOf(severity)}\u0000${policy}\u0000${policyId}`;

/** The policy's id of such a key. */
export const policyOfKey = (key: string): string => key.slice(key.lastIndexOf('\u0000') + 1);
