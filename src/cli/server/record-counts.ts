import { inThrees, printableLine } from '../terminal/printable.ts';

/** How many records there are of each collection. */
export type RecordCounts = Readonly<Record<string, number>>;

export const total = (counts: RecordCounts): number =>
  Object.values(counts).reduce((sum, amount) => sum + amount, 0);

export const collectionName = (name: string): string =>
  printableLine(name).replaceAll('_', ' ').replace(/^api /, 'API ');

/** A line for each collection: its name, and below one another the numbers. */
export function countLines(counts: RecordCounts): string[] {
  const lines = Object.entries(counts).map(
    ([name, amount]) => [collectionName(name), inThrees(amount)] as const,
  );
  const names = Math.max(...lines.map(([name]) => name.length));
  const numbers = Math.max(...lines.map(([, number]) => number.length));
  return lines.map(([name, number]) => `${name.padEnd(names)}  ${number.padStart(numbers)}`);
}
