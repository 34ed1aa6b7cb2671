import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import type { AnySchedule } from '../../client/objects.ts';
import { isSchedulesMissing, readObject, scheduleObjects } from '../../client/objects.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { readOwnership } from '../../project/compare/ownership.ts';
import type { Context } from '../context.ts';
import { askOurServer } from '../objects/our-server.ts';
import { ofOwnProject } from '../policy/find-policy.ts';

/** Work with a server that has schedules beyond creating them, under a spinner. */
export async function withSchedules<T>(
  context: Context,
  doing: string,
  work: (client: Client, update: (text: string) => void) => Promise<T>,
): Promise<T> {
  const client = await context.client();
  return askSchedules(() => context.progress(doing, (update) => work(client, update)));
}

/** @throws GovctlError that says in one line what the server lacks */
export const askSchedules = <T>(ask: () => Promise<T>): Promise<T> =>
  askOurServer('schedules that can be looked at and changed', ask, isSchedulesMissing);

export interface FoundSchedule {
  readonly schedule: AnySchedule;
  readonly etag: string | undefined;
}

/**
 * The schedule of an id; where no id is like it, the only one of a name; where none is, of a key in git: of this folder's
 * project, else of the only project that has it.
 * @throws GovctlError schedule_not_found, with the nearest name; usage_error where several could be meant
 */
export async function findSchedule(
  { world }: Pick<Context, 'world'>,
  client: Client,
  named: string,
): Promise<FoundSchedule> {
  if (named.trim() === '') throw new GovctlError('usage_error', 'The schedule is not named');
  if (named.startsWith('sch_')) {
    const found = await readObject(client, scheduleObjects, named);
    if (found) return { schedule: found.item, etag: found.etag };
  }
  const all: AnySchedule[] = [];
  for await (const schedule of listAll(client, scheduleObjects)) all.push(schedule);
  const called = all.filter(({ name }) => name === named);
  const kept = all.filter(({ tags }) => readOwnership(tags ?? []).key === named);
  const matches = called.length > 0 ? called : ofOwnProject(world, kept);
  const [match, second] = matches;
  if (!match) throw noSuchSchedule(named, all);
  if (second) {
    const what = called.length > 0 ? 'are named' : 'have the key';
    throw new GovctlError('usage_error', `Several schedules ${what} ${JSON.stringify(named)}`, {
      hint: `Name one by its id: ${matches.map(({ id }) => id).join(', ')}.`,
    });
  }
  const read = await readObject(client, scheduleObjects, match.id);
  return read ? { schedule: read.item, etag: read.etag } : { schedule: match, etag: undefined };
}

function noSuchSchedule(named: string, all: readonly AnySchedule[]): GovctlError {
  const names = all.flatMap(({ name, tags }) =>
    [name, readOwnership(tags ?? []).key].filter((one) => one !== undefined),
  );
  const nearest = nearestWord(named, names);
  return new GovctlError(
    'schedule_not_found',
    `There is no schedule with the id, name or key ${JSON.stringify(named)}`,
    {
      hint: nearest
        ? `Did you mean ${JSON.stringify(nearest)}?`
        : '`govctl schedule list` shows what there is.',
    },
  );
}
