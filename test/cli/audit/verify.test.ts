import { generateKeyPairSync } from 'node:crypto';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditEnds, auditLog } from '../../../src/server/audit/collection.ts';
import type { StoredAuditEntry } from '../../../src/server/audit/collection.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import { createMinimalService } from '../../support/minimal-service.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import type { TestService } from '../../server/test-service.ts';
import { policy, startTestService } from '../../server/test-service.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const day = 86_400_000;

const run = (argv: readonly string[], setup: FakeWorldSettings = {}): Promise<Outcome> =>
  runCommandLine(['audit', 'verify', ...argv], {
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
    ...setup,
  });

interface Value {
  readonly whole: boolean;
  readonly entries: number;
  readonly removed_up_to?: number;
  readonly unchained?: number;
  readonly head: { readonly sequence: number; readonly hash: string };
  readonly signer: { readonly key_id: string; readonly status: string };
  readonly problems: readonly { readonly sequence?: number; readonly message: string }[];
}

const verified = async (...argv: string[]): Promise<Value & { readonly exitCode: number }> => {
  const { stdout, exitCode } = await run([...argv, '-o', 'json']);
  return { ...(JSON.parse(stdout) as Value), exitCode };
};

const headText = ({ head }: Value): string => `${head.sequence}:${head.hash}`;

let made = 0;
async function change(times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    await service.send('POST', '/v1/policies', { body: policy(`policy ${made++}`) });
  }
}

const entries = async (): Promise<readonly StoredAuditEntry[]> => {
  const page = await service.deps.store.page(auditLog, {
    orderBy: 'sequence',
    direction: 'asc',
    limit: 1_000,
  });
  return page.rows.map(({ doc }) => doc);
};

/** Writes past the server, as somebody with its data folder could. */
const put = (entry: StoredAuditEntry): Promise<unknown> =>
  service.deps.store.transact((tx) => tx.replace(auditLog, entry));
const cut = ({ id }: StoredAuditEntry): Promise<unknown> =>
  service.deps.store.transact((tx) => tx.remove(auditLog, id));

describe('govctl audit verify', () => {
  it('says that the log is whole, and where it ends', async () => {
    await change(205);
    const { exitCode, stdout } = await run([]);
    expect(exitCode, stdout).toBe(0);
    expect(stdout).toMatch(/^✓ The audit log is unchanged: 20\d entries in an unbroken/);
    expect(stdout).toMatch(/^Head {5}20\d:[0-9a-f]{64}$/m);
    expect(await verified()).toMatchObject({ whole: true, problems: [], exitCode: 0 });
  });

  it('finds an entry whose content was changed, by its sequence and id', async () => {
    await change(5);
    const [, , third] = await entries();
    if (!third) throw new Error('there are five');
    await put({ ...third, actor: 'somebody else' });
    const { exitCode, stdout } = await run([]);
    expect(exitCode).toBe(2);
    expect(stdout).toContain('entry 3 was changed');
    expect((await verified()).problems).toMatchObject([{ sequence: 3, id: third.id }]);
  });

  it('finds any change of any field, and any entry that is gone', async () => {
    await change(3);
    const all = await entries();
    const fields = [
      'at',
      'actor',
      'via',
      'action',
      'subject',
      'request_id',
      'prev',
      'hash',
    ] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...all),
        fc.constantFrom(...fields),
        fc.string({ minLength: 1 }),
        async (entry, field, text) => {
          const before = entry[field];
          const values: Record<string, string> = {
            at: '2025-01-01T00:00:00.000Z',
            prev: 'f'.repeat(64),
            hash: 'f'.repeat(64),
          };
          const value = values[field] ?? `${before}${text}`;
          await put({ ...entry, [field]: value });
          expect(await verified(), field).toMatchObject({ whole: false, exitCode: 2 });
          await put(entry);
        },
      ),
      { numRuns: 40 },
    );
    for (const entry of all) {
      await cut(entry);
      const { problems } = await verified();
      expect(problems[0]?.message).toMatch(/entry \d+ is missing/);
      await service.deps.store.transact((tx) => tx.insert(auditLog, entry));
    }
    expect(await verified()).toMatchObject({ whole: true });
  });

  it('finds by an end that was kept that the log was cut, or the log was rewritten', async () => {
    await change(4);
    const kept = headText(await verified());
    await change(2);
    expect(await verified('--head', kept)).toMatchObject({ whole: true, exitCode: 0 });
    const all = await entries();
    const [head, shorter] = [all.at(-1), all.at(-4)];
    if (!head || !shorter) throw new Error('there are more');
    // Whoever has the data folder and its key can have the server sign another end.
    for (const gone of all.slice(-3)) await cut(gone);
    await service.deps.store.transact((tx) =>
      tx.replace(auditEnds, {
        id: 'head',
        sequence: shorter.sequence,
        hash: String(shorter.hash),
        at: shorter.at,
      }),
    );
    expect(await verified()).toMatchObject({ whole: true });
    const { problems, exitCode } = await verified('--head', kept);
    expect(exitCode).toBe(2);
    expect(problems[0]?.message).toContain('the log was truncated');
    const other = await verified('--head', `${shorter.sequence}:${'0'.repeat(64)}`);
    expect(other.problems[0]?.message).toContain('the log was rewritten');
  });

  it('follows on from where old entries were removed, and says so', async () => {
    await change(4);
    const early = headText(await verified());
    service.advance(200 * day);
    await change(3);
    const late = headText(await verified());
    service.advance(202 * day);
    await service.maintain();
    const { stdout, exitCode } = await run([]);
    expect(exitCode, stdout).toBe(0);
    expect(stdout).toMatch(/^Removed {2}up to entry \d, by the retention period/m);
    expect(await verified('--head', late)).toMatchObject({ whole: true, exitCode: 0 });
    expect(await verified('--head', early)).toMatchObject({ whole: true, exitCode: 0 });
    const [first] = await entries();
    if (!first) throw new Error('three are left');
    await cut(first);
    expect((await verified()).problems[0]?.message).toContain('is missing');
  });

  it('goes on after a reset of a local server, and says that the entries before are gone', async () => {
    await change(3);
    const kept = headText(await verified());
    await service.send('POST', '/v1/local/reset');
    await change(2);
    const { stdout, exitCode } = await run(['--head', kept]);
    expect(exitCode, stdout).toBe(0);
    expect(stdout).toContain('by a server reset');
  });

  it('tells whether the key that signed is the one that was given', async () => {
    const { json } = await service.send('GET', '/v1/audit-log/head');
    const { key } = json as { key: { id: string; public_key: string } };
    const { publicKey } = generateKeyPairSync('ed25519');
    const folder = makeRepo({
      'server.pem': key.public_key,
      'other.pem': publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      'no.pem': 'none',
    });
    const withKey = (file: string): Promise<Outcome> => run(['--key', path.join(folder, file)]);
    expect(await withKey('server.pem')).toMatchObject({ exitCode: 0 });
    expect((await withKey('server.pem')).stdout).toContain('the key in --key');
    const other = await withKey('other.pem');
    expect(other.exitCode).toBe(5);
    expect(other.stdout).toContain('not the key in --key');
    const none = await withKey('no.pem');
    expect(none.exitCode).toBe(3);
    expect(none.stderr).toContain('is not an Ed25519 public key in PEM format');
  });

  it('refuses a --head that is none, and says which server has no such log', async () => {
    expect(await run(['--head', '12'])).toMatchObject({ exitCode: 3 });
    const minimal = createMinimalService();
    const { exitCode, stderr } = await run([], { fetch: minimal.fetch });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('This feature is an extension of `govctl server`');
  });
});
