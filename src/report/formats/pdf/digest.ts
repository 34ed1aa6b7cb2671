import { severities } from '../../../contract/policies.ts';
import type { Cell, Column, Paper, Row, Table } from '../../model.ts';
import { toneOfStatus } from '../tones.ts';

/** Rows of one table on paper, unless it says otherwise: more are read in a format that can be searched. */
export const mostRows = 500;

/** The rows of a table that pages show, in groups, and how many there are in all. */
export interface Digest {
  readonly groups: readonly Group[];
  /** All groups, the ones without a row here among them, in the order of the table. */
  readonly counts: readonly GroupCount[];
}

export interface Group extends GroupCount {
  readonly rows: readonly Row[];
}

interface GroupCount {
  /** One of its rows, for what they have in common. */
  readonly sample: Row;
  readonly total: number;
  readonly shown: number;
}

/** Reads all rows, and keeps in memory those that are shown and one of each group. */
export async function digestOf({ columns, rows }: Table, paper: Paper): Promise<Digest> {
  const { most = mostRows } = paper;
  const places = (ids: readonly string[]): readonly number[] =>
    ids.map((id) => columns.findIndex((column) => column.id === id));
  const by = places(paper.by);
  const rank = places(paper.rank).map((at) => ({ at, type: columns[at]?.type ?? 'text' }));
  const counts = new Map<string, { sample: Row; total: number; chosen: Row[] }>();
  let best: Candidate[] = [];
  let number = 0;
  for await (const batch of rows()) {
    for (const row of batch) {
      const key = JSON.stringify(by.map((at) => row[at] ?? null));
      const count = counts.get(key);
      if (count) count.total += 1;
      else counts.set(key, { sample: row, total: 1, chosen: [] });
      best.push({ row, key, number: number++, ranks: rank.map((one) => rankOf(row, one)) });
    }
    if (best.length >= 4 * most) best = theBest(best, most);
  }
  for (const { row, key } of theBest(best, most).sort((a, b) => a.number - b.number)) {
    counts.get(key)?.chosen.push(row);
  }
  const all = [...counts.values()].map(({ chosen, ...count }) => ({
    ...count,
    rows: chosen,
    shown: chosen.length,
  }));
  return { groups: all.filter(({ shown }) => shown > 0), counts: all };
}

interface Candidate {
  readonly row: Row;
  readonly key: string;
  /** Its place in the table. */
  readonly number: number;
  readonly ranks: readonly (number | string)[];
}

const theBest = (rows: readonly Candidate[], most: number): Candidate[] =>
  [...rows].sort(byRank).slice(0, most);

function byRank(a: Candidate, b: Candidate): number {
  for (const [n, one] of a.ranks.entries()) {
    const other = b.ranks[n] ?? one;
    if (one !== other) return one > other ? -1 : 1;
  }
  return a.number - b.number;
}

/** More is first: a high severity, a bad status, a large number, a late time. */
function rankOf(
  row: Row,
  { at, type }: { readonly at: number } & Pick<Column, 'type'>,
): number | string {
  const cell: Cell = row[at] ?? null;
  if (type === 'severity') return severities.findIndex((severity) => severity === cell);
  if (type === 'status') return badness[toneOfStatus(String(cell)) ?? 'neutral'];
  if (type === 'timestamp') return String(cell ?? '');
  return typeof cell === 'number' ? cell : -Infinity;
}

const badness = { bad: 3, warn: 2, neutral: 1, good: 0 } as const;
