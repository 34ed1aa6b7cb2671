import type { Versions } from '../migrate.ts';
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
  /**
   * Of the group without commits that begins a file after the disk had failed: the last commit that counts in the files
   * before. What is behind it there was refused, and its numbers are not used again.
   */
  readonly after?: number;
  /** Of the documents in its commits. */
  readonly versions?: Versions | undefined;
}

export const sealGroup = ({ from, commits, bytes, epoch, after, versions }: Group): Buffer =>
  sealLine(
    JSON.stringify({ group: { from, commits, bytes, epoch, after, versions } }).slice(0, -1),
    '}\n',
  ).bytes;

const BEGIN = Buffer.from('{"group":', 'latin1');

/** @returns undefined where the line is none of a group, or damaged */
export const readGroup = (line: Buffer): Group | undefined =>
  line.subarray(0, BEGIN.length).equals(BEGIN) && checkLine(line, ['}']) !== undefined
    ? // The checksum vouches for the shape.
      (JSON.parse(line.toString('latin1')) as { group: Group }).group
    : undefined;
