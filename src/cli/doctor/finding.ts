import { GovctlError } from '../../contract/errors.ts';

/** One thing that was looked at. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
}

/** A thrown error as a finding. */
export function failure(check: string, error: unknown): Finding {
  const known = error instanceof GovctlError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return { check, status: 'fail', message, ...(known?.hint ? { hint: known.hint } : {}) };
}
