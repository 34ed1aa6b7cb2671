import { OrderedView } from './sorted-keys.ts';
import type { Direction } from './sorted-keys.ts';

/** A lane in the line of those to be claimed. */
export interface Place {
  readonly value: number;
  readonly id: string;
  readonly lane: string;
  readonly owner: string;
  /** 0: at once. */
  readonly dueAt: number;
  /** Since when it has waited in its line. */
  readonly since: number;
}

/** The waiting lanes of one owner. */
export interface Line {
  insert(place: Place): void;
  remove(place: Place): void;
  isEmpty(): boolean;
  /**
   * What is due by a time, in the order of claims: first what is put off for too long, until after `stranded`; then what
   * has been due longest. The line must not change meanwhile.
   */
  due(by: number, stranded: number): Iterator<Place, undefined>;
  /** When the next is due, 0 where one is at once; undefined: none waits. */
  nextDue(stranded: number): number | undefined;
}

/** Places that are read at a time: few for a claim, many where all are asked for. */
const few = 16;
const many = 1_024;

function* walk(view: OrderedView<Place>, direction: Direction): Generator<Place, undefined> {
  let read = view.take({ direction, most: few });
  for (let most = few; ; most = many) {
    for (const place of read) yield place;
    const after = read.at(-1);
    if (!after || read.length < most) return undefined;
    read = view.take({ direction, after, most: many });
  }
}

const itself = (place: Place): Place => place;

export function createLine(): Line {
  /** Due at once, in the order in which they became so: whoever goes on comes after all that wait already. */
  const ready = new OrderedView(itself);
  /** Put off, by the time until when, then by their heads. */
  const putOff = new OrderedView(itself);
  const viewOf = ({ dueAt }: Place): OrderedView<Place> => (dueAt === 0 ? ready : putOff);

  return {
    insert: (place) => viewOf(place).insert(place),
    remove: (place) => viewOf(place).remove(place),
    isEmpty: () => !ready.first() && !putOff.first(),
    *due(by, stranded) {
      for (const place of walk(putOff, 'desc')) {
        if (place.dueAt <= stranded) break;
        yield place;
      }
      const others = walk(ready, 'asc');
      let other = others.next().value;
      for (const place of walk(putOff, 'asc')) {
        if (place.dueAt > by || place.dueAt > stranded) break;
        for (; other && other.since < place.since; other = others.next().value) yield other;
        yield place;
      }
      for (; other; other = others.next().value) yield other;
      return undefined;
    },
    nextDue(stranded) {
      const last = putOff.last();
      if (ready.first() || (last && last.dueAt > stranded)) return 0;
      return putOff.first()?.dueAt;
    },
  };
}
