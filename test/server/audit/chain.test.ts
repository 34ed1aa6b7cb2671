import { createPublicKey, verify } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chainStart, signedText } from '../../../src/contract/audit-log.ts';
import { chainOlder } from '../../../src/server/audit/chain.ts';
import { auditEnds, auditLog } from '../../../src/server/audit/collection.ts';
import type { StoredAuditEntry } from '../../../src/server/audit/collection.ts';
import type { TestService } from '../test-service.ts';
import { policy, startTestService } from '../test-service.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const hour = 3_600_000;

interface Entry {
  readonly sequence: number;
  readonly prev?: string;
  readonly hash?: string;
}

const log = async (): Promise<readonly Entry[]> => {
  const { json } = await service.send('GET', '/v1/audit-log?sort_by=sequence&order=asc&limit=100');
  return json.audit_log as Entry[];
};

const change = (name: string) => service.send('POST', '/v1/policies', { body: policy(name) });

const heads = async (): Promise<readonly { data: { audit: Record<string, unknown> } }[]> => {
  const { json } = await service.send('GET', '/v1/events?type=audit.head');
  return json.events as { data: { audit: Record<string, unknown> } }[];
};

describe('the chain of the audit log', () => {
  it('begins with zeros, and each entry has the hash of the one before', async () => {
    await change('a');
    await change('b');
    const entries = await log();
    expect(entries[0]?.prev).toBe(chainStart);
    for (const [at, { prev }] of entries.entries()) {
      if (at > 0) expect(prev).toBe(entries[at - 1]?.hash);
    }
  });

  it('has a head that the server signs, with a key that verifies it', async () => {
    await change('a');
    const { json } = await service.send('GET', '/v1/audit-log/head');
    const { head, key } = json as {
      head: { sequence: number; hash: string; signature: string };
      key: { public_key: string };
    };
    const last = (await log()).at(-1);
    expect(head).toMatchObject({ sequence: last?.sequence, hash: last?.hash });
    const signature = Buffer.from(head.signature, 'base64');
    const key_ = createPublicKey(key.public_key);
    expect(verify(null, Buffer.from(signedText(head)), key_, signature)).toBe(true);
    const other = { ...head, sequence: head.sequence + 1 };
    expect(verify(null, Buffer.from(signedText(other)), key_, signature)).toBe(false);
  });

  it('shows the head only to those who administer the server', async () => {
    const key = await service.keyWith('governance:read', 'compliance:write');
    expect(await service.send('GET', '/v1/audit-log/head', { key })).toMatchObject({ status: 403 });
  });

  it('takes in what an earlier version wrote, at the next start', async () => {
    await change('a');
    await change('b');
    const { store } = service.deps;
    const { rows } = await store.page(auditLog, {
      orderBy: 'sequence',
      direction: 'asc',
      limit: 100,
    });
    await store.transact(async (tx) => {
      for (const { doc } of rows) {
        const before: Record<string, unknown> = { ...doc, prev: undefined, hash: undefined };
        await tx.replace(auditLog, JSON.parse(JSON.stringify(before)) as StoredAuditEntry);
      }
      await tx.remove(auditEnds, 'head');
    });
    await chainOlder(service.deps);
    await change('c');
    const entries = await log();
    expect(entries.map(({ prev }) => prev)).toEqual([
      chainStart,
      ...entries.slice(0, -1).map(({ hash }) => hash),
    ]);
    expect(
      service.logged.some(({ message }) =>
        message.includes('hash chain of the audit log was created'),
      ),
    ).toBe(true);
  });

  it('sends out its head once an hour where it has grown, and not where it has not', async () => {
    await change('a');
    await service.maintain();
    const [first] = await heads();
    expect(first?.data.audit).toMatchObject({ sequence: (await log()).at(-1)?.sequence });
    await change('b');
    await service.maintain();
    expect(await heads()).toHaveLength(1);
    service.advance(hour);
    await service.maintain();
    expect(await heads()).toHaveLength(2);
    service.advance(2 * hour);
    await service.maintain();
    expect(await heads()).toHaveLength(2);
  });

  it('keeps entries for 400 days', async () => {
    await change('a');
    service.advance(400 * 24 * hour);
    await service.maintain();
    expect((await log()).length).toBeGreaterThan(0);
    service.advance(2 * 24 * hour);
    await service.maintain();
    expect(await log()).toHaveLength(0);
    await change('b');
    const [entry] = await log();
    const { json } = await service.send('GET', '/v1/audit-log/head');
    expect(entry?.prev).toBe((json.anchor as { hash: string }).hash);
  });
});
