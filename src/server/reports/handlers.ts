import { GovctlError } from '../../contract/errors.ts';
import type { Handlers } from '../call.ts';

const later = (): never => {
  throw new GovctlError('unavailable', 'Not built yet');
};

export const reportHandlers = (): Handlers['reports'] => ({
  list: later,
  create: later,
  get: later,
  delete: later,
  download: later,
  downloadSignature: later,
  createLink: later,
  revokeLink: later,
  followLink: later,
  downloads: later,
  certificate: later,
});
