import type { CostImport } from '../../contract/cost-imports.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { OwnNoun } from '../objects/noun.ts';
import { showSize } from '../download/sizes.ts';
import { formatDetails } from '../terminal/details.ts';
import { ageTitle, shortTime } from '../terminal/ages.ts';
import { numberColumn } from '../terminal/table.ts';
import { describeImport, failureText } from './import-view.ts';

interface ListOptions {
  readonly status?: readonly string[];
}

const nameOf = ({ name, files }: CostImport): string =>
  name ?? files.map((file) => file.name).join(', ');

const statusOf = ({ status, dry_run: isDryRun }: CostImport): string =>
  isDryRun ? `${status} (dry run)` : status;

export const imports: OwnNoun<CostImport, ListOptions> = {
  one: 'cost import',
  many: 'cost imports',
  listName: 'imports',
  feature: 'cost imports',
  api: (client) => client.costImports,
  isUnderway: ({ status }) => status === 'pending' || status === 'running',
  removal: { after: '; the imported charges are kept' },
  list: {
    filter: ({ status }) => ({ status: status?.join(',').toLowerCase() }),
    saysIfFiltered: true,
    columns: ({ room, now }) => {
      const time = shortTime(now, room);
      return [
        { title: ageTitle(room), cell: ({ created_at: at }) => time(at) },
        { title: 'STATUS', cell: statusOf },
        { title: 'NAME', cell: nameOf, shrinks: 'middle' },
        { title: 'SIZE', cell: ({ bytes }) => showSize(bytes), isRight: true, drops: 2 },
        numberColumn('ROWS', ({ result }) => result?.rows, { drops: 1 }),
        { title: 'ID', cell: ({ id }) => id },
      ];
    },
  },
  view: (one, { room, userName }) => ({
    value: one,
    human: (style) =>
      formatDetails(
        nameOf(one) || one.id,
        [
          ['id', one.id],
          ['status', statusOf(one)],
          ['files', one.files.map((file) => `${file.name} (${showSize(file.size)})`).join(', ')],
          ['created', `${utcMinute(one.created_at)} by ${userName(one.created_by)}`],
          ['expires', utcMinute(one.expires_at)],
          ['completed', utcMinute(one.completed_at)],
          ['failed', one.failure && failureText(one.failure)],
        ],
        style,
        room,
      ) + (one.result ? `\n${describeImport(one, style, room)}` : ''),
  }),
};
