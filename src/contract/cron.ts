interface CronField {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  /** Words for values, from `low` upwards. */
  readonly words?: readonly string[];
}

const fields: readonly CronField[] = [
  { name: 'minute', low: 0, high: 59 },
  { name: 'hour', low: 0, high: 23 },
  { name: 'day of month', low: 1, high: 31 },
  {
    name: 'month',
    low: 1,
    high: 12,
    words: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  {
    name: 'day of week',
    low: 0,
    high: 7,
    words: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
  },
];

/** Why a text is no five-field cron expression; undefined when it is one. */
export function cronFault(expression: string): string | undefined {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== fields.length) {
    return `must be a cron expression of five fields (minute hour day-of-month month day-of-week), but has ${expression.trim() === '' ? 0 : parts.length}`;
  }
  for (const [index, field] of fields.entries()) {
    const part = parts[index] ?? '';
    if (!part.split(',').every((item) => isItem(item, field))) {
      return `has "${part}" as its ${field.name}; allowed are ${field.low}-${field.high}, lists, ranges and steps such as */5`;
    }
  }
  return undefined;
}

function isItem(item: string, field: CronField): boolean {
  const [range = '', step, ...more] = item.split('/');
  if (more.length > 0 || (step !== undefined && !isStep(step, field))) return false;
  if (range === '*') return true;
  const [from = '', to, ...rest] = range.split('-');
  const low = valueOf(from, field);
  if (rest.length > 0 || low === undefined) return false;
  if (to === undefined) return true;
  const high = valueOf(to, field);
  return high !== undefined && low <= high;
}

const isStep = (text: string, field: CronField): boolean =>
  /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= field.high;

function valueOf(text: string, { low, high, words }: CronField): number | undefined {
  const word = words?.indexOf(text.toLowerCase()) ?? -1;
  if (word >= 0) return low + word;
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= low && value <= high ? value : undefined;
}
