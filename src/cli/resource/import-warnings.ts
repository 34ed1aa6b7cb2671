import type { Deleted, InputProblem } from '../../inventory/model.ts';
import { inThrees, listWords } from '../terminal/printable.ts';
import type { ImportReport, Rejected } from './import-report.ts';

type Warning = ImportReport['warnings'][number];

/** Resources of which the files contain only a part. */
export interface Lacking {
  add(part: string, place: Omit<InputProblem, 'message'> & { readonly file: string }): void;
  warning(): Warning | undefined;
}

export function createLacking(): Lacking {
  const counts = new Map<string, number>();
  let first: Parameters<Lacking['add']>[1] | undefined;
  return {
    add(part, place) {
      first ??= place;
      counts.set(part, (counts.get(part) ?? 0) + 1);
    },
    warning() {
      if (!first) return undefined;
      const lacks = Array.from(counts, ([part, amount]) => `${inThrees(amount)} without ${part}`);
      return {
        ...first,
        message: `some resources are incomplete in these files (${listWords(lacks)}), and an import replaces the whole resource. Pass the exports of all parts in one command`,
      };
    },
  };
}

export interface PlacedDeleted extends Deleted {
  readonly place: Omit<Rejected, 'reason'>;
}

/** What stays in the inventory without `--prune`. */
export function warnOfDeleted(deleted: readonly PlacedDeleted[]): Warning | undefined {
  const [first] = deleted;
  if (!first) return undefined;
  const what =
    deleted.length === 1
      ? `the resource ${first.id} was deleted, but an import does not delete it from the inventory`
      : `${inThrees(deleted.length)} resources, such as ${first.id}, were deleted, but an import does not delete them from the inventory`;
  return { ...first.place, message: `${what}; use --prune` };
}
