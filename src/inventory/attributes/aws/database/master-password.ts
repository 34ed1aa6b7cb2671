import { flag, isUnknown } from '../../values.ts';

/** Where a database's first password comes from. `managed` is the switch that leaves it to the service. */
export function masterPasswordSource(given: unknown, managed: unknown) {
  const isManaged = flag(managed);
  if (isManaged === true) return 'managed';
  return given ?? (isUnknown(isManaged) ? isManaged : undefined);
}
