// A hostile server that is asked for what retention removes soon.
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTempFolder } from '../support/built-cli.ts';
import { runCommandLine } from '../support/fake-world.ts';

const at = '2026-03-01T12:00:00.000Z';
const record = (blob: string) => ({
  collection: 'scans',
  id: 's',
  record: {},
  files: [{ blob, size: 1 }],
});

/** @returns how it ended, and every file below the directory that the archives are in */
async function archive(name: string, page: (nth: number) => object) {
  const home = makeTempFolder();
  mkdirSync(path.join(home, 'archives'));
  let asked = 0;
  const outcome = await runCommandLine(['server', 'archive', 'archives'], {
    cwd: home,
    env: { GOVCTL_BASE_URL: 'https://s.test', GOVCTL_TOKEN: 'any', NO_COLOR: '1' },
    fetch: (url) => {
      const where = new URL(String(url)).pathname;
      if (where === '/v1/archive') {
        return Promise.resolve(Response.json({ at, collections: [{ name, until: at }] }));
      }
      if (where.includes('/files/')) return Promise.resolve(new Response('x'));
      return Promise.resolve(Response.json(page((asked += 1))));
    },
  });
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
  return { ...outcome, files };
}

describe('an archive of a hostile server', () => {
  it.each(['../../outside', '..', 'a/b', ''])(
    'writes nothing by the name of a collection: %j',
    async (name) => {
      const { exitCode, files } = await archive(name, () => ({ records: [record('b')] }));
      expect([exitCode, files]).toEqual([1, ['archives']]);
    },
  );

  it.each(['../../outside', '..', 'a/b', '.hidden'])(
    'writes nothing by the name of a file: %j',
    async (blob) => {
      const { exitCode, files } = await archive('scans', () => ({ records: [record(blob)] }));
      expect([exitCode, files]).toEqual([1, ['archives']]);
    },
  );

  it.each([
    ['of nothing', () => ({ records: [], next: 'again' })],
    ['of the same page', () => ({ records: [{ ...record('b'), files: [] }], next: 'again' })],
  ] as const)('ends, though its pages do not: %s', async (_, page) => {
    const { exitCode, stderr, files } = await archive('scans', page);
    expect([exitCode, stderr, files]).toEqual([
      1,
      expect.stringContaining('the same page of'),
      ['archives'],
    ]);
  });
});
