import type { PageQuery, Scalar } from '../../../src/server/store/store.ts';
import type { Item } from './store-contract.ts';

/** What a store of items should answer, computed in the plainest way. */
export interface Model {
  apply(verb: 'put' | 'remove', doc: Item): 'done' | 'missing' | 'unique';
  find(name: string): Item | undefined;
  all(query: PageQuery): string[];
  page(query: PageQuery): { docs: Item[]; total: number; hasMore: boolean };
  copy(): Map<string, Item>;
  restore(copy: Map<string, Item>): void;
}

const TYPES = ['boolean', 'number', 'string'];

const compareValues = (a: Scalar, b: Scalar): number =>
  TYPES.indexOf(typeof a) - TYPES.indexOf(typeof b) || (a < b ? -1 : a > b ? 1 : 0);

export const createModel = (): Model => {
  let docs = new Map<string, Item>();

  const matching = ({ where = {}, orderBy, direction }: PageQuery): Item[] => {
    const sign = direction === 'asc' ? 1 : -1;
    const read = (doc: Item): Scalar | undefined => (orderBy === 'id' ? doc.id : doc.rank);
    return [...docs.values()]
      .filter((doc) =>
        Object.entries(where).every(([index, condition]) => {
          const values: readonly string[] = index === 'kind' ? [doc.kind] : doc.tags;
          return 'all' in condition
            ? condition.all.every((value) => values.includes(value))
            : condition.any.some((value) => values.includes(value));
        }),
      )
      .sort((a, b) => {
        const [left, right] = [read(a), read(b)];
        if (left === undefined && right !== undefined) return 1;
        if (left !== undefined && right === undefined) return -1;
        const byValue = left === undefined || right === undefined ? 0 : compareValues(left, right);
        return sign * (byValue || (a.id < b.id ? -1 : 1));
      });
  };

  return {
    apply(verb, doc) {
      if (verb === 'remove') return docs.delete(doc.id) ? 'done' : 'missing';
      const holder = [...docs.values()].find(
        (other) => other.name !== undefined && other.name === doc.name,
      );
      if (holder && holder.id !== doc.id) return 'unique';
      docs.set(doc.id, doc);
      return 'done';
    },
    find: (name) => [...docs.values()].find((doc) => doc.name === name),
    all: (query) => matching(query).map(({ id }) => id),
    page(query) {
      const found = matching(query);
      const { offset = 0, limit } = query;
      return {
        docs: found.slice(offset, offset + limit),
        total: found.length,
        hasMore: found.length > offset + limit,
      };
    },
    copy: () => new Map(docs),
    restore(copy) {
      docs = copy;
    },
  };
};
