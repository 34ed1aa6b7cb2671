import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { auditText, chainStart } from '../../src/contract/audit-log.ts';
import type { AuditEntry, AuditHead } from '../../src/contract/audit-log.ts';
import type { Entry, Json } from './kills/history.ts';
import {
  judgeAudit,
  judgeLane,
  judgeRepeat,
  judgeRows,
  judgeSequence,
  judgeViolations,
} from './kills/judge.ts';
import type { Expected } from '../support/recompute.ts';
import type { Arrival } from './webhook-receiver.ts';

let writes = 0;
const entry = (
  endpoint: Entry['endpoint'],
  fate: Entry['fate'],
  label: string,
  leaves: Json | null,
  given: Partial<Entry> = {},
): Entry => ({
  era: 0,
  endpoint,
  about: { noun: 'policies', label, leaves: leaves && { name: label, ...leaves } },
  attempts: [{ id: `write-${(writes += 1)}.0`, fate: fate === 'open' ? 'unanswered' : 'answered' }],
  fate,
  ...given,
});

const one = 'kills-1';
const row = (severity: string): Json => ({ name: one, severity });
const created = entry('policies.create', 'acknowledged', one, { severity: 'LOW' });
const updated = entry('policies.update', 'acknowledged', one, { severity: 'HIGH' });
const judge = (history: readonly Entry[], ...rows: readonly Json[]) =>
  judgeRows(history, new Map([['policies', rows]]));

describe('what a server holds after kills', () => {
  it('is what was acknowledged last', () => {
    expect(judge([created, updated], row('HIGH'))).toEqual([]);
  });

  it('must not lack what was acknowledged, nor fall back behind it', () => {
    expect(judge([created, updated]).join()).toContain('not there');
    expect(judge([created, updated], row('LOW')).join()).toContain('policies kills-1 is');
  });

  it('may be what was asked for and not answered, or what was there before', () => {
    const open = entry('policies.update', 'open', one, { severity: 'MEDIUM' });
    const history = [created, updated, open];
    expect(judge(history, row('MEDIUM'))).toEqual([]);
    expect(judge(history, row('HIGH'))).toEqual([]);
    expect(judge(history, row('LOW'))).not.toEqual([]);
    expect(judge(history)).not.toEqual([]);
  });

  it('stays what somebody was shown', () => {
    const open = entry('policies.update', 'abandoned', one, { severity: 'MEDIUM' });
    const read = entry('read', 'acknowledged', one, null, { row: row('MEDIUM') });
    expect(judge([created, open, read], row('MEDIUM'))).toEqual([]);
    expect(judge([created, open, read], row('LOW'))).not.toEqual([]);
  });

  it('must not be what was refused, nor what was deleted, nor twice, nor what nobody asked for', () => {
    const refused = entry('policies.create', 'refused', 'kills-2', {});
    const deleted = entry('policies.delete', 'acknowledged', one, null);
    expect(judge([refused], { name: 'kills-2' })).not.toEqual([]);
    expect(judge([created, deleted])).toEqual([]);
    expect(judge([created, deleted], row('LOW'))).not.toEqual([]);
    expect(judge([created], row('LOW'), row('LOW')).join()).toContain('twice');
    expect(judge([], { name: 'kills-9' }).join()).toContain('nobody asked for it');
    expect(judge([], { name: 'made by the server' })).toEqual([]);
  });
});

/** A log with an entry for each of these requests. */
function logOf(...requests: readonly string[]) {
  let prev = chainStart;
  const log = requests.map((request_id, at) => {
    const told = { id: `aud_${at}`, sequence: at + 1, at: '2026-01-01T00:00:00.000Z', actor: 'a', via: 'v', action: 'x', subject: 's', request_id, prev }; // prettier-ignore
    prev = createHash('sha256').update(auditText(told)).digest('hex');
    return { ...told, hash: prev } satisfies AuditEntry;
  });
  const head = { sequence: log.length, hash: prev } as AuditHead['head'];
  return { log, head: { head } };
}

describe('the audit log after kills', () => {
  const id = (of: Entry): string => of.attempts[0]?.id ?? '';
  const objections = (history: readonly Entry[], ...requests: readonly string[]) => {
    const { log, head } = logOf(...requests);
    return judgeAudit(history, log, head).join('\n');
  };

  it('has each acknowledged write, and no refused one', () => {
    const refused = entry('policies.create', 'refused', 'kills-2', {});
    expect(objections([created, refused], id(created))).toBe('');
    expect(objections([created], 'another')).toContain('the audit log lacks it');
    expect(objections([refused], id(refused))).toContain('was refused');
  });

  it('has one attempt of a write, and none that was answered with 503', () => {
    const twice = entry('policies.create', 'acknowledged', one, {}, {
      attempts: [
        { id: 'a.0', fate: 'unanswered' },
        { id: 'a.1', fate: 'unavailable' },
        { id: 'a.2', fate: 'answered' },
      ],
    }); // prettier-ignore
    expect(objections([twice], 'a.0')).toBe('');
    expect(objections([twice], 'a.0', 'a.2')).toContain('more than once');
    expect(objections([twice], 'a.1')).toContain('503');
  });

  it('has a chain without a hole, a change or a lost end', () => {
    const { log, head } = logOf('a', 'b', 'c');
    expect(judgeAudit([], log, head)).toEqual([]);
    expect(judgeAudit([], log.slice(0, 2), head)).not.toEqual([]);
    expect(judgeAudit([], log.toSpliced(1, 1), head)).not.toEqual([]);
    expect(judgeAudit([], [...log.slice(0, 2), { ...log[2], actor: 'b' } as AuditEntry], head)).not.toEqual([]); // prettier-ignore
  });
});

const events = Array.from({ length: 6 }, (_, at) => ({
  id: `e${at + 1}`,
  sequence: at + 1,
  type: at % 2 === 0 ? 'user.login' : 'scan.failed',
}));

describe('the sequence of events', () => {
  it('has no hole, no repeat and no swap', () => {
    expect(judgeSequence(events)).toEqual([]);
    expect(judgeSequence(events.toSpliced(2, 1))).not.toEqual([]);
    expect(judgeSequence(events.toSpliced(2, 0, events[2] as never))).not.toEqual([]);
    expect(judgeSequence([...events.slice(2), ...events.slice(0, 2)])).not.toEqual([]);
  });
});

describe('what a webhook gets', () => {
  const lane = { webhook: 'w', types: ['user.login'], since: 1, again: 0, isDrained: true };
  const arrive = (event: string, given: Partial<Arrival> = {}): Arrival => ({
    event,
    attempt: 1,
    era: 0,
    outcome: 'accepted',
    ...given,
  });
  const all = [arrive('e1'), arrive('e3'), arrive('e5')];
  const objections = (arrivals: readonly Arrival[], of = lane) =>
    judgeLane(of, arrivals, events).objections;

  it('is each event, in order', () => {
    expect(objections(all)).toEqual([]);
    expect(objections(all.toSpliced(1, 1)).join()).toContain('e3 (3) never came');
    expect(objections([arrive('e3'), arrive('e1'), arrive('e5')]).join()).toContain('came after');
    expect(objections([...all, arrive('e2')]).join()).toContain('scan.failed');
    expect(objections([...all, arrive('e9')]).join()).toContain('none of the server');
    expect(objections([arrive('e3'), arrive('e5')], { ...lane, since: 2 })).toEqual([]);
  });

  it('waits until the event before it was accepted', () => {
    const refused = arrive('e1', { outcome: 'refused' });
    expect(objections([refused, arrive('e1', { attempt: 2 }), ...all.slice(1)])).toEqual([]);
    expect(objections([refused, ...all.slice(1)]).join()).toContain('while e1 was tried');
  });

  it('comes again only where the answer may have been lost, or somebody asked for it', () => {
    const again = [...all, arrive('e5', { attempt: 2 })];
    expect(judgeLane(lane, again, events).unexplained).toEqual([{ event: 'e5', attempt: 1 }]);
    const late = [...all, arrive('e5', { attempt: 2, era: 1 })];
    expect(judgeLane(lane, late, events)).toEqual({ objections: [], unexplained: [] });
    const old = [...all, arrive('e1')];
    expect(objections(old).join()).toContain('long after');
    expect(objections(old, { ...lane, again: 1 })).toEqual([]);
  });

  it('is signed, and has the same body each time', () => {
    expect(objections([arrive('e1', { fault: 'has a wrong signature' }), ...all.slice(1)]).join()).toContain('signature'); // prettier-ignore
  });
});

describe('the violations', () => {
  const violation = (status: string, cause = 'evaluation'): Json => ({
    policy_id: 'p',
    resource_id: 'r',
    status,
    history: [{ status, cause }],
  });
  const judged = (expected: Expected, ...found: readonly Json[]) =>
    judgeViolations(new Map([['p r', expected]]), found);

  it('are those of evaluating everything anew', () => {
    expect(judged('OPEN', violation('OPEN'))).toEqual([]);
    expect(judged('none', violation('RESOLVED'))).toEqual([]);
    expect(judged('any, OPEN', violation('OPEN'))).toEqual([]);
    expect(judged('any, OPEN')).toEqual([]);
    expect(judged('any, OPEN', violation('EXEMPT'))).not.toEqual([]);
    expect(judged('OPEN')).not.toEqual([]);
    expect(judged('none', violation('OPEN'))).not.toEqual([]);
    expect(judged('EXEMPT', violation('OPEN'))).not.toEqual([]);
    expect(judged('OPEN', violation('OPEN'), violation('OPEN'))).not.toEqual([]);
    expect(judgeViolations(new Map(), [violation('OPEN')])).not.toEqual([]);
  });

  it('may be resolved by hand until the next evaluation', () => {
    expect(judged('OPEN', violation('RESOLVED', 'manual'))).toEqual([]);
    expect(judged('OPEN', violation('RESOLVED'))).not.toEqual([]);
  });
});

describe('a write that is sent again', () => {
  const answer = { status: 201, text: '{"id":"a"}' };
  const judged = (of: Entry, second: object) =>
    judgeRepeat(of, answer, { ...answer, isReplayed: true, ...second });

  it('has the same answer', () => {
    expect(judged(created, {})).toEqual([]);
    expect(judged(created, { isReplayed: false })).not.toEqual([]);
    expect(judged(created, { text: '{"id":"b"}' })).not.toEqual([]);
  });

  it('is refused where the answer had a secret', () => {
    const key = entry('apiKeys.create', 'acknowledged', one, {});
    const reused = { status: 409, text: '{"error":"idempotency_key_reused"}' };
    expect(judged(key, reused)).toEqual([]);
    expect(judged(key, {})).not.toEqual([]);
  });
});
