import { defined } from '../../contract/defined.ts';
import { permits } from '../../contract/endpoint.ts';
import type { Principal } from '../http/call.ts';
import { insufficientScope } from '../http/insufficient-scope.ts';

/** Who is behind what a caller makes: nobody becomes two people, or gets more than they have, by making keys. */
export const makerOf = ({ person, userId, boundTo }: Principal) => ({
  made_by: person ?? userId,
  ...defined({ bound_to: boundTo }),
});

/**
 * Whose keys a caller reaches: their own, of a person without `admin`. Undefined: everybody's.
 * @throws GovctlError insufficient_scope for others without `admin`
 */
export function reachOf(principal: Principal): string | undefined {
  if (permits(principal.scopes, 'admin')) return undefined;
  const { kind, boundTo, program } = principal;
  if (kind === 'person' && boundTo !== undefined && program === undefined) return boundTo;
  throw insufficientScope(principal, 'admin');
}
