import type { Maybe } from '../values.ts';
import { isUnknown, text } from '../values.ts';

/**
 * The oldest TLS version that a security policy accepts, told by its name: `TLS_1_2`, `Policy-Min-TLS-1-2-2019-07`,
 * `ELBSecurityPolicy-TLS13-1-2-2021-06`, `ELBSecurityPolicy-FS-1-2-Res-2020-10`,
 * `SecurityPolicy_TLS12_2018_EDGE`. A name that doesn't say so → undefined.
 */
export function tlsOfPolicy(policy: unknown): Maybe<string> {
  const name = text(policy);
  if (isUnknown(name) || name === undefined) return name;
  const [, spelled, short] = /(?:TLS(?:13)?|FS)[-_](1[-_]\d)|TLS(1\d)/.exec(name) ?? [];
  if (spelled) return spelled.replace(/[-_]/, '.');
  return short && `${short[0] ?? ''}.${short[1] ?? ''}`;
}
