import { checkLine, sealLine } from './checked-line.ts';

/**
 * The commits that one flush makes durable. Its line stands before theirs in the journal. A crash leaves only the last
 * group of a journal unfinished, as the next one is begun once it is on disk; so it counts as a whole, or not at all.
 */
export interface Group {
  /** The number of its first commit. */
  readonly from: number;
  readonly commits: number;
  /** Of the lines of its commits, with their line breaks. */
  readonly bytes: number;
  /** Of the opening of the folder that wrote it. */
  readonly epoch: string;
}

export const sealGroup = ({ from, commits, bytes, epoch }: Group): Buffer =>
  sealLine(JSON.stringify({ group: { from, commits, bytes, epoch } }).slice(0, -1), '}\n').bytes;

const BEGIN = Buffer.from('{"group":', 'latin1');

/** @returns undefined where the line is none of a group, or damaged */
export const readGroup = (line: Buffer): Group | undefined =>
  line.subarray(0, BEGIN.length).equals(BEGIN) && checkLine(line, ['}']) !== undefined
    ? // The checksum vouches for the shape.
      (JSON.parse(line.toString('latin1')) as { group: Group }).group
    : undefined;
