import type { Endpoint } from '../../../contract/endpoint.ts';
import { defaultMaxBodyBytes } from '../../../contract/endpoint.ts';
import { GovctlError } from '../../../contract/errors.ts';
import type { Awaitable } from '../../awaitable.ts';
import { TimeUp } from '../../threads/time-up.ts';
import { createTurns } from '../../threads/turns.ts';
import { smallBody } from './check-body.ts';

/** Maximum large bodies in memory at a time: in total, and of one caller. */
const most = 8;
const mostOfCaller = 4;
/** Maximum milliseconds that a request waits before its body is read. */
const waitWithin = 20_000;

/** Bounds the memory of large bodies, and shares it fairly between callers. */
export interface LargeBodies {
  /** Runs `work`, which reads the body of the request, once there is room for it. @throws GovctlError unavailable */
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

/** The size of a chunked body is unknown, so the endpoint's limit counts. */
function mayBeLarge({ headers }: Request, { maxBodyBytes = defaultMaxBodyBytes }: Endpoint) {
  const announced = headers.get('content-length');
  return (announced === null ? maxBodyBytes : Number(announced)) > smallBody;
}

const tooMany = (): GovctlError =>
  new GovctlError('unavailable', 'Too many large request bodies at once; nothing was changed', {
    hint: 'Send large requests one at a time, or in smaller parts.',
    headers: { 'Retry-After': '5' },
  });
