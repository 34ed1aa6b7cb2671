import type { Changing } from './changing.ts';

export type Json = Readonly<Record<string, unknown>>;

/** One request of a write: the same write is sent again where the answer did not come. */
interface Attempt {
  /** Its X-Request-Id, which the audit log has. */
  readonly id: string;
  /** `unanswered`: it may have been done. */
  fate: 'unanswered' | 'unavailable' | 'answered';
}

/** What one write was about, and what it leaves there: null: nothing. */
export interface About {
  /** What it is kept as, see `kept`. */
  readonly noun: string;
  /** Unique, and never used again. */
  readonly label: string;
  /** The fields that are as asked for once it is done. */
  readonly leaves: Json | null;
}

/** A write that a client asked for, or (`read`) what a client was shown. */
export interface Entry {
  /** How often the server had been ended. */
  readonly era: number;
  readonly endpoint: Changing | 'read';
  readonly about?: About;
  readonly attempts: Attempt[];
  /** `open`: the client waits; `abandoned`: it no longer does, and it may have been done. */
  fate: 'open' | 'abandoned' | 'acknowledged' | 'refused';
  /** The object as it was answered, where the answer is the object. */
  row?: Json | null;
  /** By its answer, there was nothing to be done. */
  isIdle?: boolean;
}

/** The value of a field that is changed, nobody but the server knows to what. */
export const anything = '(anything)';

/** What an object may be now; null: it may be absent. */
export interface Standing {
  readonly may: readonly (Json | null)[];
  readonly entries: readonly Entry[];
}

export const without = (row: Json, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

/** What an object that may be `before` is after a write: a field that is null is absent. */
function after(before: Json | null, leaves: Json | null): Json | null {
  if (leaves === null) return null;
  // When it was changed, only the answer would have told.
  const merged = { ...(before && without(before, ['updated_at', '_meta'])), ...leaves };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

function next(may: readonly (Json | null)[], entry: Entry): readonly (Json | null)[] {
  const { fate, about, row } = entry;
  if (!about || fate === 'refused') return may;
  if (row !== undefined) return [row];
  if (fate === 'acknowledged') return [after(may[0] ?? null, about.leaves)];
  return [...may, ...may.map((one) => after(one, about.leaves))];
}

/** What each object may be, by the answers that clients had: by noun, by label. */
export function standings(history: readonly Entry[]): Map<string, Map<string, Standing>> {
  const all = new Map<string, Map<string, Standing>>();
  for (const entry of history) {
    if (!entry.about) continue;
    const { noun, label } = entry.about;
    const ofNoun = all.get(noun) ?? new Map<string, Standing>();
    all.set(noun, ofNoun);
    const { may, entries } = ofNoun.get(label) ?? { may: [null], entries: [] };
    ofNoun.set(label, { may: next(may, entry), entries: [...entries, entry] });
  }
  return all;
}

/** For a failure: what was done about one thing, in its order. */
export const trace = (entries: readonly Entry[]): string =>
  entries
    .slice(-8)
    .map(({ era, endpoint, fate, attempts, about, row }) => {
      const ids = attempts.map((one) => `${one.id} ${one.fate}`).join(', ');
      const told = row === undefined ? about?.leaves : row;
      return `    era ${era}: ${endpoint} ${fate} [${ids}] ${JSON.stringify(told ?? null).slice(0, 300)}`;
    })
    .join('\n');
