import * as z from 'zod';
import type { Deps } from '../../deps.ts';

/** Milliseconds that a step of the person may take. */
const lasts = 10 * 60_000;

type Box = Pick<Deps, 'secrets' | 'clock'>;

/** Seals what the browser keeps of a step until the next one. */
export const keep = ({ secrets, clock }: Box, step: Step, value: object): string =>
  secrets.seal(JSON.stringify({ value, until: clock.now() + lasts }), step);

type Step = 'company sign-in' | 'company link';

/** Undefined: it is not of this server, or took too long. */
export function kept<T>(
  { secrets, clock }: Box,
  step: Step,
  shape: z.ZodType<T>,
  sealed: string | undefined,
): T | undefined {
  if (sealed === undefined || sealed === '') return undefined;
  try {
    const Kept = z.object({ value: shape, until: z.number() });
    const { value, until } = Kept.parse(JSON.parse(secrets.open(sealed, step)));
    return until > clock.now() ? value : undefined;
  } catch {
    return undefined;
  }
}
