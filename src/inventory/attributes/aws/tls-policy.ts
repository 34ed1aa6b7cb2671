import type { Maybe } from '../values.ts';
import { isUnknown, text, unlike } from '../values.ts';

/**
 * The oldest TLS version that a security policy accepts, told by its name: `TLS_1_2`, `Policy-Min-TLS-1-2-2019-07`,
 * `ELBSecurityPolicy-TLS13-1-2-2021-06`, `ELBSecurityPolicy-FS-1-2-Res-2020-10`,
 * `SecurityPolicy_TLS12_2018_EDGE`. Without one in their names, policies of load balancers (`ELBSecurityPolicy-2016-08`,
 * `ELBSecurityPolicy-FS-2018-06`) begin with 1.0. Of any other name nothing is known.
 */
export function tlsOfPolicy(policy: unknown): Maybe<string> {
  const name = text(policy);
  if (isUnknown(name) || name === undefined || name === '') return name || undefined;
  if (/^ELBSecurityPolicy-(?:FS-)?\d{4}-/i.test(name)) return '1.0';
  const [, spelled, short] = /(?:TLS(?:13)?|FS)[-_](1[-_]\d)|TLS(1\d)/i.exec(name) ?? [];
  if (spelled) return spelled.replace(/[-_]/, '.');
  return short === undefined
    ? unlike(name, 'a known TLS policy')
    : `${short[0] ?? ''}.${short[1] ?? ''}`;
}
