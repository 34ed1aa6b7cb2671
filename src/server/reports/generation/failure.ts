import { RenderCrash, RenderFault } from '../../../report/formats/render-fault.ts';
import { StoreUnavailable } from '../../store/store.ts';
import { ThreadGone } from '../../threads/threads.ts';

/** What ended a generation, as its reader is told. */
export interface Failure {
  /** What went wrong and what next: no path, no stack. */
  readonly reason: string;
  /** It is tried again, some times. */
  readonly mayPass: boolean;
}

/** @param id what the log has it under */
export function describeFailure(error: unknown, id: string): Failure {
  if (error instanceof RenderFault) return { reason: error.message, mayPass: false };
  if (error instanceof StoreUnavailable) {
    return {
      reason:
        'The files could not be written: the disk of the server is full or failing. Free disk space, then create the report again',
      mayPass: true,
    };
  }
  if (error instanceof RenderCrash) {
    return {
      reason: `The report renderer ended unexpectedly several times; see the service log for ${id}`,
      mayPass: true,
    };
  }
  if (error instanceof ThreadGone) {
    return {
      reason: `The policy evaluation for the report ended unexpectedly several times; see the service log for ${id}`,
      mayPass: true,
    };
  }
  return {
    reason: `An internal error occurred; see the service log for ${id}`,
    mayPass: false,
  };
}
