import { flag, isUnknown } from '../../values.ts';
import { secretSource } from '../secret-source.ts';

/** Where a database's first password comes from. `managed` is the switch that leaves it to the service. */
export function masterPasswordSource(password: unknown, managed: unknown) {
  const isManaged = flag(managed);
  if (isManaged === true) return 'managed';
  return secretSource(password) ?? (isUnknown(isManaged) ? isManaged : undefined);
}
