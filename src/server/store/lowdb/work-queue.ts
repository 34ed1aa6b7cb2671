import { countUntil } from './sorted-keys.ts';

/** Up to this many places that are done with are not worth closing. */
const SLACK = 64;

/** A piece of work at its place, without the name of its lane. */
export interface Piece {
  readonly position: number;
  readonly work: string;
}

/**
 * Work in the order of its positions. Very many pieces wait, so they are no objects but lie in two arrays side by side,
 * 16 bytes each. Adding and dropping cost O(1), over many.
 */
export class WorkQueue {
  #positions: number[] = [];
  #works: string[] = [];
  /** Where the first piece lies. */
  #head = 0;

  get size(): number {
    return this.#positions.length - this.#head;
  }

  head(): Piece | undefined {
    return this.#at(this.#head);
  }

  /** Puts work at the end. What is there already, or came before it, is left as it is. */
  push(position: number, work: string): void {
    const last = this.#positions.at(-1);
    if (last !== undefined && last >= position) return;
    this.#positions.push(position);
    this.#works.push(work);
  }

  /** Drops all work up to a position. */
  dropThrough(position: number): void {
    const head = this.#indexAfter(position);
    if (head === this.#head) return;
    // The texts may go at once, their places go when there are enough of them.
    this.#works.fill('', this.#head, head);
    this.#head = head;
    if (head < this.#positions.length && (head <= SLACK || head < this.size)) return;
    this.#positions = this.#positions.slice(head);
    this.#works = this.#works.slice(head);
    this.#head = 0;
  }

  countAfter(position: number): number {
    return this.#positions.length - this.#indexAfter(position);
  }

  after(position: number): Piece | undefined {
    return this.#at(this.#indexAfter(position));
  }

  /** Copies of all of it, in parts of at most so many pieces. */
  *parts(most: number): Generator<{ positions: readonly number[]; works: readonly string[] }> {
    for (let at = this.#head; at < this.#positions.length; at += most) {
      const end = at + most;
      yield { positions: this.#positions.slice(at, end), works: this.#works.slice(at, end) };
    }
  }

  /** Puts another string of the same text in the place of each. */
  share(known: (work: string) => string): void {
    this.#works = this.#works.map(known);
  }

  #at(index: number): Piece | undefined {
    const position = this.#positions[index];
    const work = this.#works[index];
    return position === undefined || work === undefined ? undefined : { position, work };
  }

  #indexAfter(position: number): number {
    // Mostly it is the head that is asked for, or the place before it.
    const head = this.#positions[this.#head];
    if (head === undefined || head > position) return this.#head;
    const next = this.#positions[this.#head + 1];
    if (next === undefined || next > position) return this.#head + 1;
    return countUntil(this.#positions, (other) => other > position);
  }
}
