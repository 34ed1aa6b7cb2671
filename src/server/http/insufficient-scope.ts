import { permits } from '../../contract/endpoint.ts';
import type { Scope } from '../../contract/endpoint.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Principal } from './call.ts';

/** @param what it takes the scope for; default: the request as such */
export function insufficientScope({ scopes }: Principal, scope: Scope, what = 'This'): GovctlError {
  const has = scopes.join(' ');
  return new GovctlError(
    'insufficient_scope',
    `${what} requires the scope ${scope}; the token has: ${has || 'none'}`,
    {
      headers: {
        'WWW-Authenticate': `Bearer realm="govctl", error="insufficient_scope", scope="${scope}"`,
      },
    },
  );
}

/** @param what it is that is made. @throws GovctlError insufficient_scope where it would have more than its maker */
export function refuseWider(maker: Principal, given: readonly Scope[], what: string): void {
  for (const scope of given) {
    if (!permits(maker.scopes, scope))
      throw insufficientScope(maker, scope, `${what} with ${scope}`);
  }
}
