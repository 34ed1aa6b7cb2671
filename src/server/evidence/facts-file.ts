import type { EvidenceFacts } from '../../report/evidence/facts.ts';
import { nextTurn } from '../next-turn.ts';
import type { Blobs } from '../store/store.ts';

/** Lists of facts, each of whose entries has a line of its own. */
const listed = ['controls', 'policies', 'exemptions', 'manual', 'changes', 'missing'] as const;
type Listed = (typeof listed)[number];
type Head = Omit<EvidenceFacts, Listed | 'violations'>;

type Line =
  | { readonly head: Head }
  | { readonly in: Listed; readonly entry: unknown }
  | { readonly policy: string; readonly violation: unknown };

function* linesOf(facts: EvidenceFacts): Generator<Line> {
  const { cut, server, framework, since, violations } = facts;
  yield { head: { cut, server, framework, since } };
  for (const name of listed) for (const entry of facts[name]) yield { in: name, entry };
  for (const [policy, list] of violations) {
    for (const violation of list) yield { policy, violation };
  }
}

/** Bytes that are written or read between two turns of others: some milliseconds. */
const perTurn = 1 << 17;

/** Facts as lines of JSON, in turns. */
export async function* writeFacts(facts: EvidenceFacts): AsyncGenerator<Uint8Array> {
  let text = '';
  for (const line of linesOf(facts)) {
    text += `${JSON.stringify(line)}\n`;
    if (text.length < perTurn) continue;
    yield Buffer.from(text);
    text = '';
    await nextTurn();
  }
  yield Buffer.from(text);
}

/** What `writeFacts` has written. */
export async function readFacts(blobs: Blobs, blob: string): Promise<EvidenceFacts> {
  const lists: Record<Listed, unknown[]> = {
    controls: [],
    policies: [],
    exemptions: [],
    manual: [],
    changes: [],
    missing: [],
  };
  const violations = new Map<string, unknown[]>();
  let head: Head | undefined;
  const take = (text: string): void => {
    const line = JSON.parse(text) as Line;
    if ('head' in line) head = line.head;
    else if ('in' in line) lists[line.in].push(line.entry);
    else {
      const list = violations.get(line.policy) ?? [];
      violations.set(line.policy, list);
      list.push(line.violation);
    }
  };
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of blobs.read(blob)) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) take(part);
    await nextTurn();
  }
  if (!head || rest !== '') throw new Error('the facts of a bundle are truncated');
  // Written by this file alone.
  return { ...head, ...lists, violations } as unknown as EvidenceFacts;
}
