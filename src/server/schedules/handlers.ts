import { GovctlError } from '../../contract/errors.ts';
import type { Handlers } from '../call.ts';

const later = (): never => {
  throw new GovctlError('unavailable', 'Not built yet');
};

export const scheduleHandlers = (): Handlers['schedules'] => ({
  list: later,
  create: later,
  get: later,
  update: later,
  delete: later,
  run: later,
  runs: later,
});
