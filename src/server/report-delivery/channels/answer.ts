import { askedPause } from '../../outbound/retry.ts';
import type { Outcome } from '../../outbound/send.ts';
import type { SendResult } from './channel.ts';
import { oneLine } from './wording.ts';

export interface AnswerOptions {
  /** As a sentence begins: `The chat server`. */
  readonly who: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Answers that no further try changes. */
  readonly isFinal: (status: number) => boolean;
  /** What to do about one of these, in a sentence. */
  readonly advice: string;
  /** What is told of an answer's body. */
  readonly reason?: (body: string) => string | undefined;
}

/** What an answer over HTTP means for a delivery. Of a body only what `reason` makes of it is told. */
export function resultOfAnswer(outcome: Outcome, options: AnswerOptions): SendResult {
  const { status, error, body = '' } = outcome;
  const { who, now, isFinal, advice } = options;
  if (status === undefined) return { ok: false, error: `${who}: ${error ?? 'no response'}` };
  if (status >= 200 && status < 300) return { ok: true };
  const reason = options.reason?.(body);
  const why = reason === undefined ? '' : ` (${oneLine(reason, 200)})`;
  const redirected = status < 400 ? '; redirects are not followed' : '';
  const said = `${who} returned ${status}${why}${redirected}`;
  if (isFinal(status)) return { ok: false, permanent: true, error: `${said}. ${advice}` };
  return { ok: false, error: said, retryAfterMs: askedPause({ ...outcome, now }) };
}

/** The address is wrong, or is none any more; but a server that is busy or slow may take it later. */
export const isRefusal = (status: number): boolean =>
  status >= 300 && status < 500 && ![408, 409, 423, 425, 429].includes(status);
