/** A file of the journal; it holds the commits after `from` in groups, one per line. */
export interface Segment {
  readonly name: string;
  readonly from: number;
}

/** Sorts by name in the order of commits: 2^53 has 16 digits. */
export const segmentName = (from: number): string =>
  `journal-${String(from).padStart(16, '0')}.ndjson`;

const SEGMENT = /^journal-(\d{16})\.ndjson(\.bak)?$/;

/** All segments, folded ones too, in the order of commits. */
export const segmentsIn = (names: readonly string[]): (Segment & { readonly folded: boolean })[] =>
  names
    .flatMap((name) => {
      const match = SEGMENT.exec(name);
      return match ? [{ name, from: Number(match[1]), folded: match[2] !== undefined }] : [];
    })
    .sort((a, b) => a.from - b.from || Number(b.folded) - Number(a.folded));
