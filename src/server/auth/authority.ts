import { defined } from '../../contract/defined.ts';
import type { Principal } from '../http/call.ts';

/** Who is behind what a caller makes: nobody becomes two people, or gets more than they have, by making keys. */
export const makerOf = ({ person, userId, boundTo }: Principal) => ({
  made_by: person ?? userId,
  ...defined({ bound_to: boundTo }),
});
