import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { renderFile } from '../../../src/report/formats/render-file.ts';
import { writeZip } from '../../../src/report/formats/zip.ts';
import type { ZipEntry } from '../../../src/report/formats/zip.ts';
import { sampleReport } from '../../support/sample-report.ts';
import { hasTool, readTool, runTool } from '../../support/system-tool.ts';

const has7z = hasTool('7z (apt-get install p7zip-full)', () => runTool('7z', 'i'));
const folder = mkdtempSync(path.join(tmpdir(), 'govctl-zip-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const modified = '2026-11-02T09:30:00.000Z';
const goOn = new AbortController().signal;
const entryOf = (name: string, ...texts: readonly string[]): ZipEntry => ({
  name,
  write: async (add) => {
    for (const text of texts) await add(Buffer.from(text));
  },
});

async function zipped(entries: readonly ZipEntry[], password?: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const options = { modified, signal: goOn, ...(password !== undefined && { password }) };
  await writeZip(entries, async (chunk) => void chunks.push(chunk), options);
  return Buffer.concat(chunks);
}

describe('a ZIP', () => {
  test('is the same each time, wherever the clock stands', async () => {
    const entries = [entryOf('a/b.txt', 'one', 'two'), entryOf('c.txt', 'x'.repeat(100_000))];
    expect((await zipped(entries)).equals(await zipped(entries))).toBe(true);
  });

  test('fails with what an entry fails with', async () => {
    const reason = new Error('the disk is full');
    const broken: ZipEntry = {
      name: 'a.txt',
      write: async (add) => {
        await add(Buffer.from('half'));
        throw reason;
      },
    };
    await expect(zipped([broken])).rejects.toBe(reason);
  });

  test('fails with what its reader fails with', async () => {
    const reason = new Error('nobody listens');
    const writing = writeZip(
      [entryOf('a.txt', ...Array.from({ length: 200 }, (_, n) => `${n}`.repeat(10_000)))],
      () => Promise.reject(reason),
      { modified, signal: goOn },
    );
    await expect(writing).rejects.toBe(reason);
  });

  test('stops where it is told to', async () => {
    const stop = new AbortController();
    const reason = new Error('deleted');
    const entry: ZipEntry = {
      name: 'a.txt',
      write: async (add) => {
        await add(Buffer.from('one'));
        stop.abort(reason);
        await add(Buffer.from('two'));
      },
    };
    await expect(writeZip([entry], async () => {}, { modified, signal: stop.signal })).rejects.toBe(
      reason,
    );
  });
});

describe.skipIf(!has7z)('a protected report', () => {
  test('comes in a ZIP of AES-256 that its password opens, and no other', async () => {
    const chunks: Uint8Array[] = [];
    const options = {
      format: 'json',
      password: 'pässword 1234',
      filename: 'report.json',
      random: (count: number) => new Uint8Array(count),
    } as const;
    await renderFile(sampleReport(), options, async (chunk) => void chunks.push(chunk), goOn);
    const file = path.join(folder, 'report.zip');
    writeFileSync(file, Buffer.concat(chunks));
    const listed = readTool('7z', 'l', '-slt', `-p${options.password}`, file);
    expect(listed).toContain('Path = report.json');
    expect(listed).toContain('Method = AES-256 Deflate');
    expect(listed).toContain('Modified = 2026-11-02 09:30:00');
    runTool('7z', 'x', `-p${options.password}`, `-o${folder}`, '-y', file);
    const opened = JSON.parse(readFileSync(path.join(folder, 'report.json'), 'utf8')) as { report: { name: string } }; // prettier-ignore
    expect(opened.report.name).toBe('SOC 2 evidence, October 2026');
    expect(() => runTool('7z', 't', '-pwrong', file)).toThrow();
    expect(Buffer.concat(chunks).includes('SOC 2 evidence')).toBe(false);
  });
});
