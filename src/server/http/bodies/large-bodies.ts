import type { Endpoint } from '../../../contract/endpoint.ts';
import { defaultMaxBodyBytes } from '../../../contract/endpoint.ts';
import { GovctlError } from '../../../contract/errors.ts';
import type { Awaitable } from '../../awaitable.ts';
import { TimeUp } from '../../threads/time-up.ts';
import { createTurns } from '../../threads/turns.ts';
import { smallBody } from './check-body.ts';

/** Large bodies that are in memory at once, and of one caller. */
const most = 8;
const mostOfCaller = 4;
/** Milliseconds that a request waits for its body to be read. */
const waitWithin = 20_000;

/** Keeps the memory that large bodies take within bounds, and leaves each caller some of it. */
export interface LargeBodies {
  /** Does all that is done with the body of a request, which is not read before. @throws GovctlError unavailable */
  hold<T>(
    request: Request,
    endpoint: Endpoint,
    caller: string,
    work: () => Promise<T>,
  ): Awaitable<T>;
}

export function createLargeBodies(): LargeBodies {
  const places = createTurns(most, mostOfCaller);
  return {
    hold(request, endpoint, caller, work) {
      if (!mayBeLarge(request, endpoint)) return work();
      return places
        .take(request.signal, caller, waitWithin)
        .catch((error: unknown) => {
          throw error instanceof TimeUp ? tooMany() : error;
        })
        .then((giveBack) => work().finally(giveBack));
    },
  };
}

/** Of one that comes in chunks nobody knows. */
function mayBeLarge({ headers }: Request, { maxBodyBytes = defaultMaxBodyBytes }: Endpoint) {
  const announced = headers.get('content-length');
  return (announced === null ? maxBodyBytes : Number(announced)) > smallBody;
}

const tooMany = (): GovctlError =>
  new GovctlError('unavailable', 'Too many large bodies at once; nothing was changed', {
    hint: 'Send large bodies one at a time, or in smaller parts.',
    headers: { 'Retry-After': '5' },
  });
