import { showMoney } from '../../contract/money.ts';
import { wallAt } from '../../calendar/zone.ts';
import type { Cell, CellType, Column, LabelledValue, ReportHead } from '../model.ts';

const integers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const decimals = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

/**
 * A cell as people read it: `1,234`, `87.25%`, `1,234.50`, `2026-03-01 08:00:00` (in UTC), `yes`; `–` for null. What does not fit its
 * type is shown as it is.
 */
export function cellText(cell: Cell, type: CellType): string {
  if (cell === null) return '–';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (typeof cell === 'number') return numberText(cell, type);
  if (type === 'timestamp') return timeText(cell);
  if (type === 'money') return showMoney(cell);
  return type === 'status' || type === 'severity' ? cell.replaceAll('_', ' ') : cell;
}

/** A column's title as people read it: times say their zone there, not in each cell. */
export const columnTitle = ({ title, type }: Column): string =>
  type === 'timestamp' ? `${title} (UTC)` : title;

/** Any text; one that is a time is shown as such, with its zone. */
export function readable(text: string): string {
  const time = timeText(text);
  return time === text ? text : `${time} UTC`;
}

/** When a report was generated, in its zone, which is named. */
export function generatedAt({ generated_at: at, timezone = 'UTC' }: ReportHead): string {
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) return at;
  return `${timeText(new Date(wallAt(timezone, instant)).toISOString())} ${timezone}`;
}

/** What a report is about, but for its period, which stands with the names. */
export const aboutOf = ({ about, period }: ReportHead): readonly LabelledValue[] =>
  about.flatMap(({ label, value }) =>
    value === period ? [] : [{ label, value: readable(value) }],
  );

/** Whose report it is, who it is for and by whom, by name. */
export const whoseOf = ({
  organization,
  period,
  prepared_for: reader,
  prepared_by: author,
}: ReportHead): readonly LabelledValue[] =>
  [
    { label: 'Organization', value: organization },
    { label: 'Period', value: period },
    { label: 'Prepared for', value: reader },
    { label: 'Prepared by', value: author },
  ].flatMap(({ label, value }) => (value === undefined ? [] : [{ label, value }]));

function numberText(cell: number, type: CellType): string {
  if (!Number.isFinite(cell)) return '–';
  if (type === 'integer') return integers.format(cell);
  return `${decimals.format(cell)}${type === 'percent' ? '%' : ''}`;
}

/** An ISO 8601 time to the second, in UTC; any other text as it is. */
export function timeText(time: string): string {
  if (!/^\d{4}-\d{2}-\d{2}T/.test(time)) return time;
  const instant = Date.parse(time);
  if (Number.isNaN(instant)) return time;
  return new Date(instant).toISOString().slice(0, 19).replace('T', ' ');
}
