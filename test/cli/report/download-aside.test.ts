import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { createMinimalReports } from '../../support/minimal-reports.ts';

let folder: string;
const temporary = process.env.TMPDIR;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'govctl-aside-'));
  process.env.TMPDIR = folder;
});
afterEach(() => {
  if (temporary === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = temporary;
  rmSync(folder, { recursive: true });
});

it.each([[['download', 'R', '--out', '-']], [['open', 'R']]])(
  'govctl report %j keeps nothing where it is interrupted, and does not say that it goes on',
  async (argv) => {
    const service = createMinimalReports();
    service.put({ name: 'R' });
    const interrupt = new AbortController();
    const outcome = await runCommandLine(['report', ...argv], {
      cwd: folder,
      signal: interrupt.signal,
      env: { GOVCTL_BASE_URL: 'https://s.test', GOVCTL_TOKEN: 'any' },
      fetch: async (url, init) => {
        const answer = await service.fetch(url, init);
        if (!url.includes('/download/')) return answer;
        const bytes = new ReadableStream<Uint8Array>({
          pull(stream) {
            stream.enqueue(Buffer.from('begun'));
            interrupt.abort();
          },
        });
        return new Response(bytes, { headers: { etag: '"v1"' } });
      },
    });
    expect([outcome.exitCode, outcome.stdout]).toEqual([130, '']);
    expect(outcome.stderr).toContain(
      '→ The partial file was removed. To resume interrupted downloads, use `govctl report download --out FILE`.',
    );
    expect(outcome.stderr).not.toContain('.part');
    expect(readdirSync(folder)).toEqual([]);
  },
);
