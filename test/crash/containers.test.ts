import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';
import { isAllowed, runTool } from '../support/system-tool.ts';

let folder: TempFolder;
let dataDir: string;
const running: BuiltServer[] = [];
beforeEach(async () => {
  folder = await tempFolder();
  dataDir = join(folder.path, 'data');
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop('SIGKILL');
  await folder.remove();
});

/** Process numbers of their own, as a container has; killed with the command that made them. */
const container = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child=SIGKILL'];

const startContained = async (): Promise<BuiltServer> => {
  const server = await startBuiltServer({ dataDir, within: container });
  running.push(server);
  return server;
};

const create = async ({ baseUrl, key }: BuiltServer, name: string): Promise<number> => {
  const { status } = await fetch(`${baseUrl}/v1/policies`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name,
      resource_type: 'AWS::S3::Bucket',
      rules: [{ condition: 'resource.encrypted == false', effect: 'DENY', message: 'Encrypt it.' }],
    }),
  });
  return status;
};

const count = async ({ baseUrl, key }: BuiltServer): Promise<unknown> => {
  const response = await fetch(`${baseUrl}/v1/policies?limit=1`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return ((await response.json()) as { pagination: unknown }).pagination;
};

const isContained = isAllowed('the right to make a PID namespace', () => {
  runTool(container[0] ?? '', ...container.slice(1), 'true');
});

describe.skipIf(!isContained)('two servers of two containers on one directory', () => {
  test.each([
    ['with its lock file in place', async () => {}],
    ['after the lock file was deleted', () => rm(join(dataDir, 'lock'))],
  ])('the second is refused, %s, and nothing is lost', async (_, change) => {
    const first = await startContained();
    for (let at = 0; at < 20; at += 1) expect(await create(first, `before ${at}`)).toBe(201);
    await change();
    const lock = await readFile(join(dataDir, 'lock'), 'utf8').catch(() => 'none');
    for (let at = 0; at < 2; at += 1) {
      await expect(startBuiltServer({ dataDir, within: container })).rejects.toThrow(
        /is in use by (another process, possibly in another container|process 1 )/,
      );
      // The first one's lock file, which looks left over from there.
      expect(await readFile(join(dataDir, 'lock'), 'utf8').catch(() => 'none')).toBe(lock);
      expect(await create(first, `between ${at}`)).toBe(201);
    }
    // One that has no container of its own sees no more of it.
    await expect(startBuiltServer({ dataDir })).rejects.toThrow(/is in use by /);
    for (let at = 0; at < 20; at += 1) expect(await create(first, `after ${at}`)).toBe(201);
    await first.stop('SIGKILL');
    const next = await startContained();
    expect(await count(next)).toMatchObject({ total: 42 });
  });
});
