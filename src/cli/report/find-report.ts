import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import { readObject } from '../../client/objects.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { listWords } from '../terminal/printable.ts';
import type { ShownReport } from './report-objects.ts';
import { shownReports } from './report-objects.ts';

/** Reports of one name that an error lists: the latest. */
const mostNamed = 5;

/**
 * The report of an id; where no id is like it, the only one of a name, read whole.
 * @throws GovctlError report_not_found, with the nearest name; usage_error where several have the name
 */
export async function findReport(client: Client, named: string): Promise<ShownReport> {
  if (named.trim() === '') throw new GovctlError('usage_error', 'The report is not named');
  if (named.startsWith('rpt_')) {
    const found = await readObject(client, shownReports, named);
    if (found) return found.item;
  }
  const all: ShownReport[] = [];
  for await (const report of listAll(client, shownReports)) all.push(report);
  const matches = all.filter(({ name }) => name === named);
  const [match, second] = matches;
  if (!match) throw noSuchReport(named, all);
  if (second) throw several(named, matches);
  return (await readObject(client, shownReports, match.id))?.item ?? match;
}

function several(named: string, matches: readonly ShownReport[]): GovctlError {
  const latest = matches
    .toSorted((a, b) => (b.created_at ?? '').localeCompare(a.created_at ?? ''))
    .slice(0, mostNamed)
    .map(({ id, created_at: at }) => (at === undefined ? id : `${id} (of ${at})`));
  const among = matches.length > mostNamed ? 'The latest are' : 'They are';
  return new GovctlError(
    'usage_error',
    `${matches.length} reports are named ${JSON.stringify(named)}`,
    { hint: `Name one by its id. ${among} ${listWords(latest)}.` },
  );
}

export function noSuchReport(named: string, all: readonly ShownReport[] = []): GovctlError {
  const nearest = nearestWord(
    named,
    all.flatMap(({ name }) => name ?? []),
  );
  return new GovctlError(
    'report_not_found',
    `There is no report with the id or name ${JSON.stringify(named)}`,
    {
      hint: nearest
        ? `Did you mean ${JSON.stringify(nearest)}?`
        : '`govctl report list` shows what there is; it may have been deleted.',
    },
  );
}
