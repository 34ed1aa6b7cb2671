import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context, World } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { printableLine } from '../terminal/printable.ts';
import { tableColumns } from '../terminal/table.ts';
import { readBytes } from '../webhook/read-saved.ts';
import { parseEventTypes } from '../webhook/webhook-fields.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { describeEvent } from './event-text.ts';
import { feature } from './list.ts';

export interface TriggerOptions {
  readonly args: readonly [string];
  readonly data?: string;
}

export async function runTrigger(context: Context, options: TriggerOptions): Promise<ExitCode> {
  const [type, second] = parseEventTypes(options.args, 'TYPE');
  if (type === undefined || second !== undefined) {
    throw new GovctlError('usage_error', 'Use a single event type');
  }
  const data = options.data === undefined ? undefined : await readData(context.world, options.data);
  const { data: event } = await withOurServer(context, feature, 'Triggering event', (client) =>
    client.events.trigger({ body: { type, ...defined({ data }) } }),
  );
  await context.show({
    value: event,
    human: (style) =>
      wrapWords(
        `${style.green('Triggered')} ${printableLine(`${event.type} (${event.id})`)}: ${describeEvent(event.data)}\n`,
        tableColumns(context.world.terminal),
      ),
  });
  return exitCodes.ok;
}

/** @throws GovctlError usage_error, invalid_file */
async function readData(world: World, given: string): Promise<Record<string, unknown>> {
  const [text, from] =
    given === '-'
      ? [await world.terminal.readStdin(), 'standard input']
      : given.startsWith('@')
        ? [(await readBytes(world, given.slice(1))).toString('utf8'), given.slice(1)]
        : [given, '--data'];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new GovctlError('usage_error', `${from} is not valid JSON: ${(cause as Error).message}`, {
      cause,
      hint: `Use an object such as --data '{"violation": {"severity": "HIGH"}}', or @FILE.`,
    });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>; // any object is one
  }
  throw new GovctlError('usage_error', `${from} is not a JSON object`);
}
