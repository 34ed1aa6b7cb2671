import { readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fetch } from '../../../src/client/http.ts';
import { bundleOf, collected, fill, startEvidence } from '../../server/evidence/evidence-world.ts';
import type { TestService } from '../../server/test-service.ts';
import type { EvidenceCli } from './evidence-cli.ts';
import { createEvidenceCli } from './evidence-cli.ts';

let service: TestService;
let cli: EvidenceCli;
beforeEach(async () => {
  service = await startEvidence();
  cli = createEvidenceCli(service);
});
afterEach(async () => {
  cli.remove();
  await service.close();
});

const evidence = (...argv: string[]) => cli.run(['evidence', ...argv]);
const fileIn = (name: string): Buffer => readFileSync(path.join(cli.folder, name));
const zips = (): string[] => readdirSync(cli.folder).filter((name) => name.includes('.zip'));

interface Exported {
  readonly bundle: { readonly id: string; readonly bundle: { readonly sha256: string } };
  readonly file: { readonly file: string; readonly verified: boolean };
  readonly reused: boolean;
}
const exported = async (...argv: string[]): Promise<Exported> => {
  const { stdout, exitCode, stderr } = await evidence('export', ...argv, '-o', 'json');
  if (exitCode !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Exported;
};

const asService = async (url: string, init: RequestInit): Promise<Response> =>
  service.app.fetch(new Request(url, init), {});

describe('govctl evidence delete', () => {
  it('deletes a bundle', async () => {
    await fill(service);
    const id = await collected(service);
    const { exitCode, stdout } = await evidence('delete', id, '--yes');
    expect([exitCode, stdout]).toEqual([0, `Deleted ${id}\n`]);
    const get = await evidence('get', id);
    expect([get.exitCode, get.stderr]).toEqual([
      1,
      expect.stringContaining(`no evidence bundle ${id}`),
    ]);
  });
});

describe('govctl evidence collect', () => {
  it('waits until the bundle is built, and shows what it is about', async () => {
    await fill(service);
    const { exitCode, stdout, stderr } = await evidence('collect', 'SOC2', '--name', 'Q1');
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toMatch(/^ +status +completed$/m);
    expect(stdout).toMatch(/^ +moment +20\d\d-\d\d-\d\d \d\d:\d\d UTC: scan_\w+, audit log to/m);
    expect(stdout).toMatch(/To download the bundle, run `govctl evidence export evd_\w+`\.$/m);
    expect(stderr).toMatch(/^Building evd_\w+$/m);
  });

  it('takes controls and a time', async () => {
    await fill(service);
    const argv = ['collect', 'soc2', 'CC6.1', 'cc6.6', '--since', '2026-01-01', '-o', 'json'];
    expect(JSON.parse((await evidence(...argv)).stdout)).toMatchObject({
      controls: ['CC6.1', 'CC6.6'],
      since: '2026-01-01T00:00:00.000Z',
      status: 'completed',
    });
  });

  it('exits with 8 with --no-wait, or when the time is over, and says where to look', async () => {
    await fill(service);
    const building: Fetch = async (url, init) => {
      const answer = await asService(url, init);
      const body = (await answer.json()) as object;
      const { status } = answer;
      return Response.json({ ...body, status: 'building' }, { status });
    };
    for (const flags of [['--no-wait'], ['--timeout', '1']]) {
      const { exitCode, stderr } = await cli.run(['evidence', 'collect', 'soc2', ...flags], {
        fetch: building,
      });
      expect(exitCode).toBe(8);
      expect(stderr).toMatch(/Run `govctl evidence get evd_\w+` to check its status\./);
    }
  });

  it('says what to do before there is a scan, and which framework or control it is not', async () => {
    const early = await evidence('collect', 'soc2');
    expect(early.exitCode).toBe(3);
    expect(early.stderr).toContain('govctl scan run');
    expect(await evidence('collect', 'soc9')).toMatchObject({ exitCode: 1 });
    expect(await evidence('collect', 'soc2', 'CC99')).toMatchObject({ exitCode: 1 });
  });

  it('exits with 1 where the bundle fails, and shows why', async () => {
    await fill(service);
    const failing: Fetch = async (url, init) => {
      const answer = await asService(url, init);
      const body = (await answer.json()) as object;
      const failed = { ...body, status: 'failed', failure: { reason: 'The disk is full' } };
      return Response.json(failed, { status: answer.status });
    };
    const collecting = await cli.run(['evidence', 'collect', 'soc2'], { fetch: failing });
    expect(collecting.exitCode).toBe(1);
    expect(collecting.stdout).toMatch(/^ +failure +The disk is full$/m);
  });
});

describe('govctl evidence export', () => {
  it('collects where there is no bundle yet, and reuses the newest one until --new', async () => {
    await fill(service);
    const first = await exported('soc2', '--out', 'a.zip');
    expect(first).toMatchObject({ reused: false, file: { file: 'a.zip', verified: true } });
    service.advance(60_000);
    await collected(service, { controls: ['CC6.1'] });
    const again = await exported('SOC2', '--out', 'b.zip');
    expect(again).toMatchObject({ reused: true, bundle: { id: first.bundle.id } });
    expect(fileIn('a.zip').equals(fileIn('b.zip'))).toBe(true);
    const { stderr, stdout } = await evidence('export', 'soc2', '--out', 'a.zip');
    expect(stderr).toMatch(
      /^Using the bundle from 20.* UTC\. To collect a new bundle, pass --new\.$/m,
    );
    expect(stdout).toMatch(/^Wrote a\.zip \(\d.* kB, SHA-256 [0-9a-f]{64}\)$/m);
    expect(stdout).toContain('To verify the bundle, run `govctl evidence verify a.zip`.');
    const newer = await exported('soc2', '--new', '--out', 'c.zip');
    expect(newer.reused).toBe(false);
    expect(newer.bundle.id).not.toBe(first.bundle.id);
    expect(statSync(path.join(cli.folder, 'a.zip')).mode & 0o777).toBe(0o600);
  });

  it('downloads a bundle by its ID, under a name with its ID, which verify accepts', async () => {
    await fill(service);
    await cli.logIn();
    const id = await collected(service);
    const { file } = await exported(id);
    expect(file.file).toBe(`soc2.${id}.zip`);
    expect(fileIn(file.file).equals(await bundleOf(service, id))).toBe(true);
    const { exitCode, stdout } = await cli.offline(['evidence', 'verify', file.file]);
    expect(exitCode, stdout).toBe(0);
    expect((await exported(id, '--out', 'bundles/')).file.file).toBe(`bundles/soc2.${id}.zip`);
  });

  it('resumes a download that was cut', async () => {
    await fill(service);
    const id = await collected(service);
    let cuts = 0;
    const ranges: (string | null)[] = [];
    const cutting: Fetch = async (url, init) => {
      const answer = await asService(url, init);
      if (!url.endsWith('/bundle')) return answer;
      ranges.push(new Headers(init.headers).get('range'));
      if ((cuts += 1) > 2) return answer;
      const bytes = Buffer.from(await answer.arrayBuffer());
      const half = new ReadableStream({
        start: (controller) => controller.enqueue(bytes.subarray(0, 1_000)),
        pull: (controller) => controller.error(new Error('cut')),
      });
      return new Response(half, { status: answer.status, headers: answer.headers });
    };
    const { exitCode, stderr } = await cli.run(['evidence', 'export', id, '--out', 'x.zip'], {
      fetch: cutting,
    });
    expect(exitCode, stderr).toBe(0);
    expect(fileIn('x.zip').equals(await bundleOf(service, id))).toBe(true);
    expect(ranges.length).toBe(3);
    expect(ranges[2]).toMatch(/^bytes=\d+-$/);
    expect(zips()).toEqual(['x.zip']);
  });

  it('writes nothing where what comes does not have the hash of the bundle', async () => {
    await fill(service);
    const id = await collected(service);
    const lying: Fetch = async (url, init) => {
      const answer = await asService(url, init);
      return url.endsWith('/bundle') ? new Response('PK another') : answer;
    };
    const { exitCode, stderr } = await cli.run(['evidence', 'export', id], { fetch: lying });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('was not written');
    expect(zips()).toEqual([]);
  });

  it('exits with 5 where another key signed it than the one pinned at login', async () => {
    await fill(service);
    const id = await collected(service);
    await cli.logIn();
    const resigned: Fetch = async (url, init) => {
      const answer = await asService(url, init);
      if (!url.endsWith(id)) return answer;
      const body = (await answer.json()) as { bundle: object };
      return Response.json({ ...body, bundle: { ...body.bundle, key_id: 'f'.repeat(64) } });
    };
    const { exitCode, stderr } = await cli.run(['evidence', 'export', id], { fetch: resigned });
    expect(exitCode).toBe(5);
    expect(stderr).toContain('this bundle is signed with key ffffffffffffffff…, not');
  });

  it('refuses a place that it cannot write to before it collects', async () => {
    await fill(service);
    symlinkSync('/tmp', path.join(cli.folder, 'away'));
    cli.write('govctl.yaml', '');
    for (const [flags, message] of [
      [['--out', '-'], 'must be a file or a directory'],
      [['--out', 'x.pdf'], 'is not a .pdf file'],
      [['--out', 'away/x.zip'], 'was not written'],
      [['--timeout', 'soon'], 'must be a number of seconds'],
    ] as const) {
      const { exitCode, stderr } = await evidence('export', 'soc2', ...flags);
      expect(exitCode, flags.join(' ')).not.toBe(0);
      expect(stderr).toContain(message);
    }
    expect((await service.send('GET', '/v1/compliance/evidence/bundles')).json).toMatchObject({
      bundles: [],
    });
    expect(await evidence('export', 'evd_1', '--new')).toMatchObject({ exitCode: 3 });
    expect(await evidence('export', 'evd_1')).toMatchObject({ exitCode: 1 });
  });
});
