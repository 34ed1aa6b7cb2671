import type * as z from 'zod';
import type { contract } from '../../contract/contract.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { OwnNoun } from '../objects/noun.ts';
import { formatDetails } from '../terminal/details.ts';
import { inThrees } from '../terminal/printable.ts';
import { showSize } from '../download/sizes.ts';
import type { Shown } from '../objects/noun.ts';
import { ageTitle, shortTime } from '../terminal/ages.ts';
import type { View } from '../terminal/output.ts';
import type { Style } from '../terminal/terminal.ts';

/** What evidence is called where a server lacks it. */
export const feature = 'evidence';

export type Bundle = z.output<typeof contract.evidence.get.response.body>;

const statusColours = { building: 'yellow', completed: 'green', failed: 'red' } as const;
const paintStatus = (text: string, { status }: Bundle, style: Style): string =>
  style[statusColours[status]](text);

const partOf = ({ framework, controls }: Bundle): string =>
  controls ? `${framework}: ${controls.join(', ')}` : framework;

export const bundleColumns: NonNullable<OwnNoun<Bundle>['list']>['columns'] = ({
  now,
  room,
  userName,
}) => [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'FRAMEWORK', cell: partOf, shrinks: 'end' },
  { title: 'NAME', cell: ({ name = '' }) => name, shrinks: 'end', drops: 2 },
  { title: 'STATUS', cell: ({ status }) => status, paint: paintStatus },
  {
    title: 'SIZE',
    cell: ({ bundle }) => (bundle ? showSize(bundle.size) : '-'),
    isRight: true,
    drops: 3,
  },
  { title: 'BY', cell: ({ created_by: by }) => userName(by), drops: 1 },
  { title: ageTitle(room), cell: ({ created_at: at }) => shortTime(now, room)(at) },
];

/** A bundle as `get` reads it: what it is about, and whether it is ready. */
export const bundles: OwnNoun<Bundle> = {
  one: 'bundle',
  many: 'bundles',
  feature,
  api: (client) => ({ get: (input) => client.evidence.get(input) }),
  list: { columns: bundleColumns },
  view: bundleView,
  isUnderway: ({ status }) => status === 'building',
};

export function bundleView(bundle: Bundle, { room, headline, userName }: Shown): View {
  const { id, name, since, status, cut, created_at: created, created_by: by, failure } = bundle;
  const file = bundle.bundle;
  return {
    value: bundle,
    human: (style) =>
      (headline ? `${headline(style)}\n` : '') +
      formatDetails(
        id,
        [
          ['name', name],
          ['framework', partOf(bundle)],
          ['status', status],
          ['failure', failure?.reason],
          ['moment', momentOf(cut)],
          ['changes', `since ${utcMinute(since)}`],
          ['size', file && showSize(file.size)],
          ['SHA-256', file?.sha256],
          ['signed by', file && `key ${file.key_id}`],
          ['created', `${utcMinute(created)} by ${userName(by)}`],
        ],
        style,
        room,
      ) +
      (status === 'completed'
        ? `To download the bundle, run \`govctl evidence export ${id}\`.\n`
        : ''),
  };
}

/** What a bundle is about, in a line. */
export const momentOf = (
  cut: Pick<Bundle['cut'], 'at' | 'scan_id' | 'audit_sequence' | 'audit_hash'>,
): string =>
  `${utcMinute(cut.at)}: ${cut.scan_id}, audit log to entry ${inThrees(cut.audit_sequence)}`;
