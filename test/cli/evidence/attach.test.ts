import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fetch } from '../../../src/client/http.ts';
import { bytesOf, manualPath, startEvidence } from '../../server/evidence/evidence-world.ts';
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

// The command compares --expires with its own clock, which is that of the tests.
const expires = ['--expires', '2026-12-31'];
const attach = (...argv: string[]) => cli.run(['evidence', 'attach', ...argv]);

interface Listed {
  readonly manual: {
    readonly id: string;
    readonly control_id: string;
    readonly text?: string;
    readonly expires: string;
    readonly file?: { readonly name: string; readonly media_type: string };
  }[];
}
const attached = async () =>
  (
    (await service.send('GET', `${manualPath}?sort_by=created_at&order=asc`))
      .json as unknown as Listed
  ).manual;

describe('govctl evidence attach', () => {
  it('attaches text to a control, which is then manual', async () => {
    const { exitCode, stdout } = await attach('SOC2:CC1.1', '--text', 'Signed by all.', ...expires);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Attached evm_\w+ to soc2:CC1\.1 until 2026-12-31$/m);
    expect(await attached()).toMatchObject([{ control_id: 'CC1.1', text: 'Signed by all.' }]);
    const show = await cli.run(['framework', 'show', 'soc2', 'CC1.1']);
    expect(show.stdout).toContain('manual until 2026-12-31');
  });

  it('attaches each file as a piece of its own, byte for byte, with the text', async () => {
    const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, at) => at % 256));
    cli.write('policy.PDF', bytes);
    cli.write('notes', 'x');
    const files = ['--file', 'policy.PDF', '--file', 'notes'];
    const argv = ['soc2', 'cc1.1', ...files, '--text', 'Both', '--expires', '365d', '-o', 'json'];
    const { exitCode, stdout, stderr } = await attach(...argv);
    expect(exitCode, stderr).toBe(0);
    const { manual } = JSON.parse(stdout) as Listed;
    expect(manual).toMatchObject([
      { text: 'Both', file: { name: 'policy.PDF', media_type: 'application/pdf' } },
      { text: 'Both', file: { name: 'notes', media_type: 'application/octet-stream' } },
    ]);
    const stored = await bytesOf(service, `${manualPath}/${manual[0]?.id}/file`);
    expect(stored.bytes.equals(bytes)).toBe(true);
  });

  it('sends nothing where any file is too large, empty, absent or has a bad name', async () => {
    let asked = 0;
    const counting: Fetch = async (url, init) => {
      asked += 1;
      return service.app.fetch(new Request(url, init), {});
    };
    cli.write('fine.txt', 'x');
    cli.write('empty.txt', '');
    cli.write('large.bin', Buffer.alloc(10 * 1024 * 1024 + 1));
    writeFileSync(path.join(cli.folder, 'a\nb.txt'), 'x');
    for (const [file, message] of [
      ['large.bin', 'larger than 10 MiB'],
      ['empty.txt', 'empty.txt is empty'],
      ['absent.txt', 'could not be read'],
      ['a\nb.txt', 'must not contain control characters'],
    ] as const) {
      const argv = ['evidence', 'attach', 'SOC2:CC1.1', '--file', 'fine.txt', '--file', file];
      const outcome = await cli.run([...argv, ...expires], { fetch: counting });
      expect(outcome.exitCode, file).toBe(3);
      expect(outcome.stderr).toContain(message);
    }
    expect(asked).toBe(0);
  });

  it('takes a file of exactly 10 MiB', async () => {
    cli.write('most.bin', Buffer.alloc(10 * 1024 * 1024, 7));
    const { exitCode, stderr } = await attach('SOC2:CC1.1', '--file', 'most.bin', ...expires);
    expect(exitCode, stderr).toBe(0);
  });

  it('shows what was attached before one that failed', async () => {
    cli.write('a.txt', 'a');
    cli.write('b.txt', 'b');
    let posts = 0;
    const once: Fetch = async (url, init) =>
      (posts += 1) > 1
        ? Response.json({ error: 'invalid_evidence', message: 'full' }, { status: 400 })
        : service.app.fetch(new Request(url, init), {});
    const argv = ['evidence', 'attach', 'SOC2:CC1.1', '--file', 'a.txt', '--file', 'b.txt'];
    const { exitCode, stdout, stderr } = await cli.run([...argv, ...expires], { fetch: once });
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/^Attached evm_\w+ .*a\.txt \(1 byte,/);
    expect(stderr).toContain('full');
  });

  it('says so where the server stored other bytes', async () => {
    cli.write('a.txt', 'a');
    const changing: Fetch = async (url, init) => {
      const answer = await service.app.fetch(new Request(url, init), {});
      const text = (await answer.text()).replace(/"sha256":"./, '"sha256":"g');
      return new Response(text, { status: answer.status });
    };
    const argv = ['evidence', 'attach', 'SOC2:CC1.1', '--file', 'a.txt', ...expires];
    const { exitCode, stderr } = await cli.run(argv, { fetch: changing });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('but its SHA-256 in the service is different');
  });

  it('refuses what it cannot attach before it asks a service', async () => {
    const text = ['--text', 'x'];
    for (const [argv, message] of [
      [['soc2', ...text, ...expires], 'No control of soc2 given'],
      [['SOC2:CC1.1', ...expires], 'Nothing to attach'],
      [['SOC2:CC1.1', ...text, '--expires', 'never'], 'evidence must expire'],
      [['SOC2:CC1.1', ...text, '--expires', '2020-01-01'], 'must not be in the past'],
      [['SOC2:CC1.1', ...text, '--expires', 'soon'], 'must be a lifetime, a date or a time'],
      [['SOC2:CC1.1', '--text', ' ', ...expires], 'must not be blank'],
      [
        ['SOC2:CC1.1', ...Array.from({ length: 21 }, () => ['--file', 'x']).flat(), ...expires],
        'at most 20 files',
      ],
    ] as const) {
      const outcome = await cli.offline(['evidence', 'attach', ...argv]);
      expect(outcome, argv.join(' ')).toMatchObject({ exitCode: 3 });
      expect(outcome.stderr).toContain(message);
    }
    expect(await attach('SOC2:CC99', ...text, ...expires)).toMatchObject({ exitCode: 1 });
    expect(await attach('SOC2:CC1.1', ...text, '--expires', '2039-01-01')).toMatchObject({
      exitCode: 3,
    });
  });

  it('is undone by delete, which asks first', async () => {
    await attach('SOC2:CC1.1', '--text', 'x', ...expires);
    const [{ id = '' } = {}] = await attached();
    expect(await cli.run(['evidence', 'delete', id])).toMatchObject({ exitCode: 3 });
    const { exitCode, stdout } = await cli.run(['evidence', 'delete', id, '--yes']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Deleted ${id}`);
    expect(await attached()).toEqual([]);
    expect(await cli.run(['evidence', 'delete', id, '--yes'])).toMatchObject({ exitCode: 1 });
  });
});
