import { isDeepStrictEqual } from 'node:util';
import { ChainCheck } from '../../../src/cli/audit/check-chain.ts';
import type { AuditEntry, AuditHead } from '../../../src/contract/audit-log.ts';
import type { Arrival } from '../webhook-receiver.ts';
import type { Expected } from '../../support/recompute.ts';
import { endpointOf } from './changing.ts';
import { anything, standings, trace } from './history.ts';
import type { Entry, Json } from './history.ts';
import { kept } from './kept.ts';

/*
 * What must be so of what a server holds after any number of kills, by what its clients were told. Each function gives its
 * objections, in words, and none where all is well.
 */

const fits = (row: Json | undefined, may: Json | null, moving: ReadonlySet<string>): boolean =>
  row === undefined || may === null
    ? row === undefined && may === null
    : Object.entries(may).every(
        ([name, value]) =>
          moving.has(name) || value === anything || isDeepStrictEqual(row[name], value),
      );

/** Names of the clients begin so: what has such a name must be known. */
export const ours = 'kills-';

/** Acknowledged writes are there, by their last value or a later one that was asked for; refused ones are not. */
export function judgeRows(
  history: readonly Entry[],
  rows: ReadonlyMap<string, readonly Json[]>,
): string[] {
  const objections: string[] = [];
  const known = standings(history);
  for (const [noun, { label, moving }] of Object.entries(kept)) {
    const byLabel = new Map<string, Json>();
    for (const row of rows.get(noun) ?? []) {
      const name = label(row);
      if (name.startsWith(ours) && byLabel.has(name))
        objections.push(`${noun} ${name} is there twice`);
      byLabel.set(name, row);
    }
    const standing = known.get(noun);
    for (const [name, { may, entries }] of standing ?? []) {
      const row = byLabel.get(name);
      if (may.some((one) => fits(row, one, moving))) continue;
      const found = row ? JSON.stringify(row).slice(0, 600) : 'not there';
      const wanted = may.map((one) => JSON.stringify(one)?.slice(0, 600)).join('\n    or ');
      objections.push(
        `${noun} ${name} is\n    ${found}\n  and may be\n    ${wanted}\n${trace(entries)}`,
      );
    }
    for (const name of byLabel.keys()) {
      if (name.startsWith(ours) && !standing?.has(name)) {
        objections.push(`${noun} ${name} is there, and nobody asked for it`);
      }
    }
  }
  return objections;
}

/** Writes that leave nothing in the audit log, or nothing of their own. */
const unaudited: ReadonlySet<string> = new Set(['costImports.put']);

/** Writes that are made in steps, each for good: a repeat after a kill in between makes some of them again. */
const inSteps: ReadonlySet<string> = new Set([
  'events.replay',
  'webhooks.redeliverFailed',
  'violations.resolveMany',
  'resources.import',
]);

/** The chain holds, each acknowledged write is in it once, and no other attempt of it is. */
export function judgeAudit(
  history: readonly Entry[],
  log: readonly AuditEntry[],
  { head, anchor }: Pick<AuditHead, 'head' | 'anchor'>,
): string[] {
  const check = new ChainCheck(anchor, undefined);
  const byRequest = new Map<string, number>();
  for (const entry of log) {
    check.add(entry);
    byRequest.set(entry.request_id, (byRequest.get(entry.request_id) ?? 0) + 1);
  }
  check.end(head, log.length);
  const objections = check.problems.map(({ message }) => `audit log: ${message}`);
  for (const entry of history) {
    const { endpoint, attempts, fate } = entry;
    if (endpoint === 'read' || unaudited.has(endpoint)) continue;
    const done = attempts.filter(({ id }) => byRequest.has(id));
    const not = attempts.find(({ id, fate: of }) => of === 'unavailable' && byRequest.has(id));
    const wrong =
      done.length > 1 && endpointOf(endpoint).method === 'POST' && !inSteps.has(endpoint)
        ? 'was done more than once'
        : not
          ? `was done by ${not.id}, which was answered with 503`
          : fate === 'acknowledged' && !entry.isIdle && done.length === 0
            ? 'was acknowledged, and the audit log lacks it'
            : fate === 'refused' && done.length > 0
              ? 'was refused, and the audit log has it'
              : undefined;
    if (wrong !== undefined) objections.push(`${endpoint} ${wrong}\n${trace([entry])}`);
  }
  return objections;
}

interface Numbered {
  readonly id: string;
  readonly sequence: number;
  readonly type: string;
}

/** 1, 2, 3 … without a gap, and nothing twice. */
export function judgeSequence(events: readonly Numbered[]): string[] {
  const objections: string[] = [];
  const seen = new Map<string, number>();
  for (const [at, { id, sequence }] of events.entries()) {
    const wanted = (events[at - 1]?.sequence ?? 0) + 1;
    if (sequence !== wanted) objections.push(`event ${id} is number ${sequence}, not ${wanted}`);
    const before = seen.get(id);
    if (before !== undefined) objections.push(`event ${id} is number ${before} and ${sequence}`);
    seen.set(id, sequence);
  }
  return objections;
}

export interface Lane {
  readonly webhook: string;
  readonly types: readonly string[];
  /** From this event on, it must get all of its types. */
  readonly since: number;
  /** How often it was asked for that events are delivered again, at most. */
  readonly again: number;
  /** Nothing waits for it any more. */
  readonly isDrained: boolean;
}

export interface LaneVerdict {
  readonly objections: string[];
  /** Second deliveries that only a lost answer can explain: the server must know of it. */
  readonly unexplained: { readonly event: string; readonly attempt: number }[];
}

/** Each event at least once, each in its order, and again only where an answer may have been lost, or somebody asked. */
export function judgeLane(
  lane: Lane,
  arrivals: readonly Arrival[],
  events: readonly Numbered[],
): LaneVerdict {
  const objections: string[] = [];
  const unexplained: LaneVerdict['unexplained'] = [];
  const numbers = new Map(events.map((event) => [event.id, event]));
  const accepted = new Set<string>();
  let { again } = lane;
  let highest = 0;
  let last: Arrival | undefined;
  let trying: string | undefined;
  const object = ({ event }: Arrival, what: string) =>
    objections.push(`${lane.webhook}: event ${event} (${numbers.get(event)?.sequence}) ${what}`);
  for (const arrival of arrivals) {
    const { event, fault, outcome } = arrival;
    if (fault !== undefined) object(arrival, fault);
    if (trying !== undefined && trying !== event) object(arrival, `came while ${trying} was tried`);
    else if (trying === undefined && accepted.has(event)) {
      const isRepeat = event === last?.event;
      const isExplained = isRepeat && (last?.outcome === 'lost' || last?.era !== arrival.era);
      if (isExplained) last = undefined;
      else if (again > 0) again -= 1;
      else if (isRepeat) unexplained.push({ event, attempt: last?.attempt ?? 0 });
      else object(arrival, 'came again, long after it was accepted');
    } else if (trying === undefined) {
      const number = numbers.get(event);
      if (!number) object(arrival, 'is none of the server');
      else {
        if (number.sequence < highest) object(arrival, `came after number ${highest}`);
        if (!lane.types.includes(number.type)) object(arrival, `is of type ${number.type}`);
        highest = Math.max(highest, number.sequence);
      }
    }
    if (outcome === 'refused') trying = event;
    else {
      trying = undefined;
      accepted.add(event);
      last = arrival;
    }
  }
  if (lane.isDrained) {
    for (const { id, sequence, type } of events) {
      if (sequence < lane.since || !lane.types.includes(type) || accepted.has(id)) continue;
      objections.push(`${lane.webhook}: event ${id} (${sequence}) never came`);
    }
  }
  return { objections, unexplained };
}

/** What stands open or exempt is what evaluating everything anew finds. */
export function judgeViolations(
  expected: ReadonlyMap<string, Expected>,
  violations: readonly Json[],
): string[] {
  const objections: string[] = [];
  const standing = new Map<string, string>();
  const byHand = new Set<string>();
  for (const one of violations) {
    const pair = `${String(one.policy_id)} ${String(one.resource_id)}`;
    const last = (one.history as readonly Json[]).at(-1);
    if (last?.status !== one.status) objections.push(`violation ${String(one.id)} has another status than its history`); // prettier-ignore
    if (one.status !== 'RESOLVED') {
      if (standing.has(pair)) objections.push(`${pair} has two violations`);
      standing.set(pair, String(one.status));
    } else if (last?.cause === 'manual') byHand.add(pair);
  }
  for (const [pair, wanted] of expected) {
    const found = standing.get(pair) ?? 'none';
    // One that was resolved by hand is opened again when the next evaluation still fails.
    if (found === 'none' && byHand.has(pair)) continue;
    // What cannot be decided leaves what was there.
    const [any, before] = wanted.split(', ');
    if (found === any || (before !== undefined && [before, 'none'].includes(found))) continue;
    objections.push(`${pair} is ${found}, and evaluated anew ${wanted}`);
  }
  for (const [pair, found] of standing) {
    if (!expected.has(pair)) objections.push(`${pair} is ${found}, and nothing is evaluated there`);
  }
  return objections;
}

/** A write that was acknowledged and is sent again has the same answer; one with a secret says that it had one. */
export function judgeRepeat(
  { endpoint }: Entry,
  first: { readonly status: number; readonly text: string },
  second: { readonly status: number; readonly text: string; readonly isReplayed: boolean },
): string[] {
  if (endpoint !== 'read' && endpointOf(endpoint).secret) {
    return second.text.includes('"idempotency_key_reused"')
      ? []
      : [`${endpoint} was repeated, and answered ${second.status} ${second.text.slice(0, 300)}`];
  }
  const isSame = second.isReplayed && second.status === first.status && second.text === first.text;
  return isSame
    ? []
    : [
        `${endpoint} was answered ${first.status} ${first.text.slice(0, 300)}, and its repeat ${second.status} ${second.text.slice(0, 300)}`,
      ];
}
