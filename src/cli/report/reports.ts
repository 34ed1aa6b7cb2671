import { numberColumn } from '../terminal/table.ts';
import { GovctlError } from '../../contract/errors.ts';
import { reportStatuses, reportTypes } from '../../contract/reports.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import { parseWords } from '../flags/parse-words.ts';
import type { DescribedNoun, Shown } from '../objects/noun.ts';
import { askOurServer, askServer } from '../objects/our-server.ts';
import { ageTitle, shortTime } from '../terminal/ages.ts';
import type { Column } from '../terminal/table.ts';
import type { ShownReport } from './report-objects.ts';
import { isUnderway, nameOf, shownReports } from './report-objects.ts';
import { paintStatus, reportView, scoreOf } from './report-view.ts';

interface ListOptions {
  readonly type?: readonly string[];
  readonly framework?: readonly string[];
  readonly status?: readonly string[];
  readonly schedule?: string;
}

export const reports: DescribedNoun<ShownReport, ListOptions> = {
  of: shownReports,
  names: {
    prefix: 'rpt_',
    knownBy: 'ID or name',
    nameOf,
    isCalled: ({ name }, named) => name === named,
    suggested: ({ name }) => [name],
    notFound: 'report_not_found',
    listHint: 'The report may have been deleted. Run `govctl report list` to list reports.',
    tooMany,
  },
  list: {
    columns: columnsFor,
    filter: ({ type, framework, status }) => ({
      type: type && parseWords('--type', type, reportTypes).join(','),
      framework: framework?.join(','),
      status: status && parseWords('--status', status, reportStatuses).join(','),
    }),
    furtherFilter: async ({ schedule }, context, client) => {
      if (schedule === undefined) return {};
      const [{ findIds }, { schedules }] = await Promise.all([
        import('../objects/find.ts'),
        import('../schedule/schedules.ts'),
      ]);
      const [schedule_id] = await askServer(schedules, () =>
        findIds(context, client, schedules, [schedule]),
      );
      return { schedule_id };
    },
    // The description gives the list no order.
    unasked: { sort: 'created_at', order: 'desc' },
    serverSorts: [],
    filtersTakeOne: true,
    saysIfFiltered: true,
  },
  view: reportView,
  isUnderway,
  removal: {
    send: (client, id, options) =>
      askOurServer('deleting reports', () =>
        client.reports.delete({ params: { report_id: id } }, options).catch(unlessGone),
      ),
  },
};

/** One that is gone already is what was wanted. */
function unlessGone(error: unknown): void {
  if (!(error instanceof GovctlError && error.error === 'report_not_found')) throw error;
}

/** Reports of one name that an error lists: the latest. */
const mostNamed = 5;

function tooMany(named: string, matches: readonly ShownReport[]): GovctlError {
  const latest = matches
    .toSorted((a, b) => (b.created_at ?? '').localeCompare(a.created_at ?? ''))
    .slice(0, mostNamed)
    .map(({ id, created_at: at }) => (at === undefined ? id : `${id} (${utcMinute(at)})`));
  const among = matches.length > mostNamed ? 'Newest' : 'Matches';
  return new GovctlError(
    'usage_error',
    `${matches.length} reports are named ${JSON.stringify(named)}`,
    { hint: `Use an ID. ${among}: ${latest.join(', ')}.` },
  );
}

function columnsFor({ now, room }: Shown): readonly Column<ShownReport>[] {
  const time = shortTime(now, room);
  return [
    { title: 'NAME', cell: nameOf, shrinks: 'end' },
    { title: 'TYPE', cell: ({ type }) => type ?? '-', drops: 3 },
    { title: 'FRAMEWORK', cell: ({ framework }) => framework ?? '-', drops: 1 },
    { title: 'STATUS', cell: ({ status }) => status ?? '-', paint: paintStatus },
    numberColumn('SCORE', scoreOf, { drops: 4 }),
    numberColumn('VIOLATIONS', ({ summary }) => summary?.total_violations, { drops: 2 }),
    { title: ageTitle(room), cell: ({ created_at: at }) => time(at), drops: 5 },
    { title: 'ID', cell: ({ id }) => id },
  ];
}
