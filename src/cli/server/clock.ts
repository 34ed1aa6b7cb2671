import type { Client } from '../../client/client.ts';
import { describeOffset, durationForms, parseDuration } from '../../contract/duration.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Advanced, LocalClock } from '../../contract/local.ts';
import type { Context } from '../context.ts';
import { formatDetails } from '../terminal/details.ts';
import { parseMoment } from '../flags/moment.ts';
import type { View } from '../terminal/output.ts';
import { count } from '../terminal/printable.ts';
import { withLocalServer } from './with-local.ts';

export async function showClock(context: Context): Promise<ExitCode> {
  const clock = await withLocalServer(context, 'Reading the clock', async (client) => {
    const { data } = await client.local.getClock();
    return data;
  });
  await context.show(clockView(clock));
  return exitCodes.ok;
}

export async function setClock(
  context: Context,
  { args: [time] }: { readonly args: readonly [string] },
): Promise<ExitCode> {
  const now = parseTime('clock set', time, context.world.now());
  const clock = await withLocalServer(context, 'Setting the clock', async (client) => {
    const { data } = await client.local.setClock({ body: { now } });
    return data;
  });
  await context.show(clockView(clock));
  return exitCodes.ok;
}

/** Where a duration is none: the clock is not set to how long ago something was. @throws GovctlError usage_error */
export function parseTime(flag: string, time: string, now: number): string {
  if (parseDuration(time) === undefined) {
    try {
      return parseMoment(flag, time, now);
    } catch (cause) {
      throw new GovctlError('usage_error', `${flag} ${time}: must be a date or a time`, {
        cause,
        hint: 'Use a date, or a time such as 2026-01-31T09:30:00Z.',
      });
    }
  }
  throw new GovctlError('usage_error', `${flag} ${time}: must be a time, not a duration`, {
    hint: `To move the clock by this duration, run \`govctl server clock advance ${time}\`.`,
  });
}

export async function resetClock(context: Context): Promise<ExitCode> {
  const clock = await withLocalServer(context, 'Resetting the clock', async (client) => {
    const { data } = await client.local.resetClock();
    return data;
  });
  await context.show(clockView(clock));
  return exitCodes.ok;
}

const clockView = (clock: LocalClock): View => ({
  value: clock,
  human: (style) =>
    formatDetails(
      clock.now,
      [['moved', clock.offset_ms === 0 ? 'no' : `by ${describeOffset(clock.offset_ms)}`]],
      style,
    ),
});

/** Milliseconds that one request lets the server work: progress is shown in between. */
const slice = 5_000;

export async function advanceClock(
  context: Context,
  options: { readonly args: readonly [string]; readonly timeout: string },
): Promise<ExitCode> {
  const [text] = options.args;
  const ms = parseDuration(text);
  if (ms === undefined) {
    throw new GovctlError('usage_error', `${text} is not a duration`, {
      hint: `Use a duration ${durationForms}.`,
    });
  }
  const timeoutMs = parseTimeout(options.timeout);
  const advanced = await withLocalServer(context, 'Advancing the clock', (client, update) =>
    advanceBy(client, ms, timeoutMs, update),
  );
  await context.show(advancedView(advanced));
  if (advanced.reached) return exitCodes.ok;
  await context.warn(
    `timed out after ${options.timeout} s: the clock is at ${advanced.now}, not yet at ${advanced.target}. Run the command again, or increase --timeout`,
  );
  return exitCodes.pending;
}

/** Milliseconds. @throws GovctlError usage_error */
function parseTimeout(text: string): number {
  if (/^\d{1,6}$/.test(text) && Number(text) > 0) return Number(text) * 1_000;
  throw new GovctlError('usage_error', `--timeout ${text}: must be a whole number of seconds`);
}

/** In slices towards one moment, so that a request that is sent twice does not let twice as much time pass. */
export async function advanceBy(
  client: Client,
  ms: number,
  timeoutMs: number,
  update: (text: string) => void,
): Promise<Advanced> {
  const until = performance.now() + timeoutMs;
  const { data: before } = await client.local.getClock();
  const to = momentAfter(before.now, ms);
  for (let steps = 0; ;) {
    const left = Math.max(1, Math.round(until - performance.now()));
    const { data } = await client.local.advanceClock({
      body: { to, within_ms: Math.min(slice, left) },
    });
    steps += data.steps;
    if (data.reached || performance.now() >= until) {
      return { ...data, from: before.now, target: to, steps };
    }
    update(`Advancing the clock: ${data.now}, ${count(steps, 'step')} so far`);
  }
}

/** @throws GovctlError usage_error for a year that can't be written */
function momentAfter(now: string, ms: number): string {
  const at = new Date(Date.parse(now) + ms);
  if (at.getTime() < Date.parse('9999-12-31T00:00:00Z')) return at.toISOString();
  throw new GovctlError('usage_error', 'The clock cannot be moved beyond the year 9999');
}

const advancedView = (advanced: Advanced): View => ({
  value: advanced,
  human: (style) =>
    formatDetails(
      advanced.now,
      [
        ['from', advanced.from],
        ['completed', count(advanced.steps, 'step')],
        ['moved', `by ${describeOffset(advanced.offset_ms)}`],
      ],
      style,
    ),
});
