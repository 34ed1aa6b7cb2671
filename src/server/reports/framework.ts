import { nearestWord } from '../../contract/nearest.ts';
import { labelKey, splitLabel } from '../../engine/labels.ts';
import { isDefined } from '../compliance/service.ts';
import { nextTurn } from '../next-turn.ts';
import { labelledWith, labelsPerTurn, policies } from '../policies/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';

/** Known without any policy. */
const wellKnown = ['soc2', 'hipaa', 'iso27001', 'pci', 'nist-800-53'];

/** Names that a misspelled one is compared with, and labels that these are taken from: some tenths of a second. */
const mostCompared = 10_000;
const mostLookedAt = 100_000;
/** Names that are compared between two turns of others: some milliseconds. */
const comparedPerTurn = 250;

/** Undefined: it is known, from the start or as a policy's label. Else what is wrong with it. */
export async function frameworkFault(reader: Reader, given: string): Promise<string | undefined> {
  const key = labelKey(given);
  if (wellKnown.some((name) => labelKey(name) === key)) return undefined;
  if (await isDefined(reader, given)) return undefined;
  for await (const _ of labelledWith(reader, given)) return undefined;
  const nearest = await nearestOf(given, await someNames(reader));
  return nearest === undefined
    ? `is not a known framework or control; use one of ${wellKnown.join(', ')}, or one that policies are labeled with`
    : `is not a known framework or control; did you mean ${nearest}?`;
}

/** The known frameworks and labels, or as many of them as can be compared. */
async function someNames(reader: Reader): Promise<ReadonlySet<string>> {
  const names = new Set(wellKnown);
  let looked = 0;
  for await (const { doc } of allRows(reader, policies, {})) {
    for (const label of doc.compliance_frameworks ?? []) {
      names.add(label).add(splitLabel(label).framework);
      if (names.size >= mostCompared || (looked += 1) >= mostLookedAt) return names;
      if (looked % labelsPerTurn === 0) await nextTurn();
    }
  }
  return names;
}

/** As `nearestWord`, in turns. */
async function nearestOf(given: string, names: ReadonlySet<string>): Promise<string | undefined> {
  const all = [...names];
  const near: string[] = [];
  for (let at = 0; at < all.length; at += comparedPerTurn) {
    const nearest = nearestWord(given, all.slice(at, at + comparedPerTurn));
    if (nearest !== undefined) near.push(nearest);
    await nextTurn();
  }
  return nearestWord(given, near);
}
