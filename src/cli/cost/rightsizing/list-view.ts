import type { Rightsizing, RightsizingList } from '../../../contract/rightsizing.ts';
import { csvLine } from '../../../report/formats/csv/csv-line.ts';
import { showMoney } from '../../../contract/money.ts';
import { resourceKey } from '../../../cost/resource-id.ts';
import type { Glyphs } from '../../terminal/sparkline.ts';
import type { View } from '../../terminal/output.ts';
import { count, inThrees } from '../../terminal/printable.ts';
import { formatTable } from '../../terminal/table.ts';
import type { Column } from '../../terminal/table.ts';
import type { Style } from '../../terminal/terminal.ts';
import { wrapWords } from '../../terminal/wrap-words.ts';
import { paintRisk, usage } from './words.ts';

type Found = Pick<RightsizingList, 'recommendations' | 'totals' | 'counts' | 'withheld'> & {
  readonly pagination: object;
};

/** @param room columns of the table; Infinity in a pipe */
export const rightsizingListView = (found: Found, room: number, glyphs: Glyphs): View => ({
  value: { ...found },
  rows: () => found.recommendations,
  human: (style, columns) =>
    [
      ...(found.recommendations.length > 0
        ? [
            `${formatTable(found.recommendations, columnsOf(found.recommendations, glyphs), style, room)}\n`,
          ]
        : []),
      ...facts(found, style).map((line) => `${wrapWords(line, columns)}\n`),
    ].join(''),
  more: { csv: () => csvOf(found.recommendations) },
});

const columnsOf = (
  rows: readonly Rightsizing[],
  glyphs: Glyphs,
): readonly Column<Rightsizing>[] => {
  const isAny = (status: Rightsizing['status']): boolean =>
    rows.some((row) => row.status === status);
  const smaller: readonly Column<Rightsizing>[] = [
    { title: 'SUGGESTED', cell: ({ suggested }) => suggested?.name ?? '-', shrinks: 'end' },
    { title: 'CPU', cell: ({ evidence }) => usage(glyphs, evidence.cpu?.p99_5), drops: 2 },
    {
      title: 'MEMORY',
      cell: ({ evidence }) => usage(glyphs, evidence.memory?.max, evidence.assumed_memory),
      drops: 3,
    },
    { title: 'SAVES/MONTH', cell: saving, isRight: true },
    {
      title: 'RISK',
      cell: ({ risk = '-' }) => risk,
      paint: (text, { risk }, style) => paintRisk(text, risk, style),
    },
  ];
  return [
    { title: 'RESOURCE', cell: machineName, shrinks: 'middle' },
    { title: 'SIZE', cell: ({ size = '-' }) => size, shrinks: 'end' },
    ...(isAny('recommended') ? smaller : []),
    ...(isAny('withheld') ? [{ title: 'WITHHELD', cell: why }] : []),
  ];
};

/** What a machine is asked for by: of an ARN the instance ID in it, which fits into a line. */
const machineName = ({ provider, resource_id: id }: Rightsizing): string =>
  provider === 'aws' ? (resourceKey(provider, id)?.text ?? id) : id;

const saving = ({ monthly_saving: amount, currency, status }: Rightsizing): string => {
  if (status !== 'recommended') return '-';
  return amount === undefined ? 'unknown' : showMoney(amount, currency);
};

export const reasonText = (reason: string): string => reason.replaceAll('_', ' ');

const why = ({ reason }: Rightsizing): string => (reason === undefined ? '-' : reasonText(reason));

function facts({ totals, counts, withheld }: Found, style: Style): readonly string[] {
  const sums = totals.map(({ currency, resources, monthly_cost: cost, monthly_saving: saved }) => {
    const of = `of ${showMoney(cost, currency)} for ${count(resources, 'machine')}`;
    return `Potential savings: ${style.bold(showMoney(saved, currency))} per month, ${of}.`;
  });
  const { recommended, fits, stopped } = counts;
  const all = [
    count(recommended, 'recommendation').replace(/^n/, 'N'),
    ...(fits > 0 ? [`${inThrees(fits)} right-sized`] : []),
    ...(stopped > 0 ? [`${inThrees(stopped)} not running`] : []),
  ];
  const reasons = withheld.map((one) => `${reasonText(one.reason)} ${inThrees(one.count)}`);
  return [
    ...sums,
    `${all.join(', ')}.`,
    ...(counts.withheld > 0
      ? [`Withheld: ${inThrees(counts.withheld)} (${reasons.join(', ')}). Use --status withheld to list withheld recommendations.`] // prettier-ignore
      : []),
  ];
}

const csvHead = [
  'resource_id', 'provider', 'account_id', 'region', 'environment', 'status', 'reason', 'size', 'suggested',
  'cpu_p99_5', 'memory_max', 'hours', 'risk', 'currency', 'monthly_cost', 'monthly_saving', 'id',
]; // prettier-ignore

const csvOf = (rows: readonly Rightsizing[]): string =>
  [
    csvLine(csvHead),
    ...rows.map((row) =>
      csvLine([
        row.resource_id,
        row.provider,
        row.account_id ?? null,
        row.region ?? null,
        row.environment ?? null,
        row.status,
        row.reason ?? null,
        row.size ?? null,
        row.suggested?.name ?? null,
        row.evidence.cpu?.p99_5 ?? null,
        row.evidence.memory?.max ?? null,
        row.evidence.cpu?.hours ?? null,
        row.risk ?? null,
        row.currency ?? null,
        row.monthly_cost ?? null,
        row.monthly_saving ?? null,
        row.id,
      ]),
    ),
  ].join('');
