import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  linkSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DownloadDeps, PartAnswer } from '../../../src/cli/download/download.ts';
import { download } from '../../../src/cli/download/download.ts';
import { partFiles } from '../../../src/cli/download/part-files.ts';
import { answeredHash } from '../../../src/cli/download/part-headers.ts';

const content = Buffer.from(Array.from({ length: 5_000 }, (_, at) => at % 251));
const sha256 = createHash('sha256').update(content).digest('hex');
const other = Buffer.from(content).reverse();

let folder: string;
let target: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'govctl-download-'));
  target = path.join(folder, 'r.pdf');
});
afterEach(() => rmSync(folder, { recursive: true }));
const same = (error: unknown): unknown => error;
const names = (): string[] => readdirSync(folder).sort();

/** How the server behaves at one request. */
interface Turn {
  /** Bytes after which the connection is cut. */
  readonly cutAfter?: number;
  readonly status?: number;
  readonly file?: Buffer;
  readonly etag?: string | null;
  readonly hash?: string | null;
  readonly ignoresRange?: boolean;
}

async function* pieces(bytes: Buffer, cutAfter = Infinity): AsyncGenerator<Uint8Array> {
  const size = 700;
  for (let at = 0; at < bytes.length; at += size) {
    await Promise.resolve();
    if (at + size > cutAfter) {
      if (cutAfter > at) yield bytes.subarray(at, cutAfter);
      throw new Error('cut');
    }
    yield bytes.subarray(at, at + size);
  }
}

/** A server that serves one file, a turn for each request; the last turn stays. */
function serverOf(turns: readonly Turn[]) {
  const asked: Readonly<Record<string, string>>[] = [];
  const fetchPart = (headers: Readonly<Record<string, string>>): Promise<PartAnswer> => {
    const turn = turns[Math.min(asked.length, turns.length - 1)] ?? {};
    asked.push(headers);
    const { file = content, etag = '"v1"', cutAfter } = turn;
    const [, from] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? [];
    const isRest = from !== undefined && headers['if-range'] === etag && !turn.ignoresRange;
    const start = isRest ? Number(from) : 0;
    const hash =
      turn.hash === undefined ? createHash('sha256').update(file).digest('hex') : turn.hash;
    const given = new Headers({
      'content-length': String(file.length - start),
      ...(etag === null ? {} : { etag }),
      ...(hash === null ? {} : { 'x-content-sha256': hash }),
      ...(isRest ? { 'content-range': `bytes ${start}-${file.length - 1}/${file.length}` } : {}),
    });
    const status = turn.status ?? (isRest ? 206 : 200);
    return Promise.resolve({
      status,
      headers: given,
      bytes: pieces(file.subarray(start), cutAfter),
    });
  };
  return { asked, fetchPart };
}

const stop = new AbortController();
const depsOf = (turns: readonly Turn[], more: Partial<DownloadDeps> = {}) => {
  const server = serverOf(turns);
  const deps: DownloadDeps = {
    fetchPart: server.fetchPart,
    files: partFiles,
    sleep: () => Promise.resolve(),
    random: () => 0.5,
    signal: stop.signal,
    ...more,
  };
  return { deps, asked: server.asked };
};

describe('a download', () => {
  it('is written whole, under its name, for its owner alone', async () => {
    const seen: (readonly [number, number | undefined])[] = [];
    const { deps } = depsOf([{}], { onProgress: (...now) => seen.push(now) });
    expect(await download(deps, target)).toEqual({
      bytes: content.length,
      sha256,
      verified: true,
      resumed: false,
    });
    expect(names()).toEqual(['r.pdf']);
    expect(readFileSync(target).equals(content)).toBe(true);
    expect([seen[0], seen.at(-1)]).toEqual([
      [0, content.length],
      [content.length, content.length],
    ]);
  });

  it('leaves a target to another download of it that is under way', async () => {
    const second: unknown[] = [];
    const { deps } = depsOf([{ cutAfter: 1_000 }, {}], {
      sleep: async () => void second.push(await download(depsOf([{}]).deps, target).catch(same)),
    });
    expect(await download(deps, target)).toMatchObject({ sha256 });
    expect(second).toMatchObject([
      {
        error: 'file_error',
        message: `Another download of ${target} is in progress`,
        hint: `Wait for the download to finish, or use a different --out. If no download is running, remove ${target}.part.lock.`,
      },
    ]);
    expect(names()).toEqual(['r.pdf']);
  });

  it.each([
    ['a process that is over', `${spawnSync('true').pid} 1`],
    ['an earlier process of this number', `${process.pid} 1`],
  ])('waits for no download of %s', async (_, holder) => {
    writeFileSync(`${target}.part.lock`, holder);
    expect(await download(depsOf([{}]).deps, target)).toMatchObject({ sha256 });
    expect(names()).toEqual(['r.pdf']);
  });

  it.each([
    ['a device without an end', (lock: string) => symlinkSync('/dev/zero', lock)],
    ['a pipe that nobody writes to', (lock: string) => execFileSync('mkfifo', [lock])],
  ])('does not take %s, which a cloned repo may link to, for a download', async (_, put) => {
    put(`${target}.part.lock`);
    expect(await download(depsOf([{}]).deps, target)).toMatchObject({ sha256 });
    expect(names()).toEqual(['r.pdf']);
  });

  it('leaves a target to a download of another process', async () => {
    writeFileSync(`${target}.part.lock`, `${process.ppid} 1`);
    await expect(download(depsOf([{}]).deps, target)).rejects.toMatchObject({
      error: 'file_error',
    });
    expect(names()).toEqual(['r.pdf.part.lock']);
  });

  it('goes on where it was cut, and asks for the rest of the same file only', async () => {
    const { deps, asked } = depsOf([{ cutAfter: 1_000 }, { cutAfter: 2_000 }, {}]);
    expect(await download(deps, target)).toMatchObject({ sha256, verified: true });
    expect(asked).toEqual([
      {},
      { range: 'bytes=1000-', 'if-range': '"v1"' },
      { range: 'bytes=3000-', 'if-range': '"v1"' },
    ]);
    expect(names()).toEqual(['r.pdf']);
  });

  it('goes on in another run from what the one before left', async () => {
    const first = depsOf([{ cutAfter: 1_000 }, { cutAfter: 0 }]);
    await expect(download(first.deps, target)).rejects.toMatchObject({
      error: 'unreachable',
      message: 'The download was interrupted repeatedly, last after 1.0 kB of 5.0 kB',
      hint: `Run the same command again to resume from ${target}.part.`,
    });
    expect(names()).toEqual(['r.pdf.part', 'r.pdf.part.json']);
    const second = depsOf([{}]);
    expect(await download(second.deps, target)).toMatchObject({ resumed: true, sha256 });
    expect(second.asked).toEqual([{ range: 'bytes=1000-', 'if-range': '"v1"' }]);
    expect(names()).toEqual(['r.pdf']);
  });

  it('begins anew where the file is another one now', async () => {
    const { deps } = depsOf([{ cutAfter: 1_000 }, { file: other, etag: '"v2"' }]);
    await download(deps, target);
    expect(readFileSync(target).equals(other)).toBe(true);
  });

  it('begins anew once where what was left before is spoilt', async () => {
    writeFileSync(`${target}.part`, 'not of this file');
    writeFileSync(`${target}.part.json`, '{"etag": "\\"v1\\""}');
    const { deps, asked } = depsOf([{}]);
    expect(await download(deps, target)).toMatchObject({ sha256, verified: true });
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['a link', symlinkSync],
    ['another name', linkSync],
  ])('writes to nothing that a part is %s of', async (_, plant) => {
    const victims = ['', '.json'].map((end) => {
      const victim = path.join(folder, `victim${end}`);
      writeFileSync(victim, end === '' ? content.subarray(0, 100) : '{"etag":"\\"v1\\""}');
      plant(victim, `${target}.part${end}`);
      return { victim, before: readFileSync(victim) };
    });
    const { deps, asked } = depsOf([{ cutAfter: 1_000 }, {}]);
    expect(await download(deps, target)).toMatchObject({ sha256, resumed: false });
    expect(asked[0]).toEqual({});
    for (const { victim, before } of victims) expect(readFileSync(victim)).toEqual(before);
    expect(names()).toEqual(['r.pdf', 'victim', 'victim.json']);
  });

  it.skipIf(process.platform === 'win32').each([
    ['goes on with', '{"etag":"\\"v1\\""}'],
    ['begins anew', 'no note'],
  ])('can be read by its owner alone, where it %s a part that others could', async (_, note) => {
    writeFileSync(`${target}.part`, content.subarray(0, 100), { mode: 0o644 });
    writeFileSync(`${target}.part.json`, note);
    await download(depsOf([{}]).deps, target);
    expect(statSync(target).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['not JSON'],
    ['{"etag": 5}'],
    ['{"etag": "W/\\"v1\\""}'],
    ['null'],
    ['{"etag":"\\"a\\r\\nb\\""}'],
  ])('does not trust the note %j', async (note) => {
    writeFileSync(`${target}.part`, content.subarray(0, 100));
    writeFileSync(`${target}.part.json`, note);
    const { deps, asked } = depsOf([{}]);
    expect(await download(deps, target)).toMatchObject({ resumed: false, sha256 });
    expect(asked).toEqual([{}]);
  });

  it('never gives its name to what is not what the server says', async () => {
    const wrong = 'f'.repeat(64);
    const { deps } = depsOf([{ hash: wrong }]);
    await expect(download(deps, target)).rejects.toMatchObject({
      error: 'bad_answer',
      message: expect.stringContaining(`${sha256}, but the server reports ${wrong}`) as string,
    });
    expect(names()).toEqual([]);
    const known = depsOf([{ hash: null }]);
    await expect(download(known.deps, target, wrong)).rejects.toMatchObject({
      error: 'bad_answer',
    });
    expect(names()).toEqual([]);
  });

  it('works with a server that says no more than its bytes', async () => {
    const { deps } = depsOf([{ etag: null, hash: null }]);
    expect(await download(deps, target)).toMatchObject({ verified: undefined, sha256 });
    const cut = depsOf([{ etag: null, hash: null, cutAfter: 3_000 }]);
    await expect(download(cut.deps, `${target}2`)).rejects.toMatchObject({ error: 'unreachable' });
    expect(cut.asked.length).toBeLessThan(10);
    expect(names()).toEqual(['r.pdf', 'r.pdf2.part']);
  });

  it('asks again for all where there is no such rest', async () => {
    const { deps, asked } = depsOf([{ cutAfter: 1_000 }, { status: 416 }, {}]);
    expect(await download(deps, target)).toMatchObject({ sha256 });
    expect(asked.map(({ range }) => range)).toEqual([undefined, 'bytes=1000-', undefined]);
  });

  it('keeps what it has when it is interrupted', async () => {
    const interrupt = new AbortController();
    const { deps } = depsOf([{}], {
      signal: interrupt.signal,
      onProgress: (have) => void (have > 2_000 && interrupt.abort()),
    });
    await expect(download(deps, target)).rejects.toMatchObject({ error: 'interrupted' });
    expect(names()).toEqual(['r.pdf.part', 'r.pdf.part.json']);
  });

  it('says so where the disk takes no more, and keeps what is there', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      syscall: 'write',
      code: 'ENOSPC',
    });
    const { deps } = depsOf([{}], {
      files: {
        ...partFiles,
        open: async (...how) => ({
          ...(await partFiles.open(...how)),
          write: () => Promise.reject(full),
        }),
      },
    });
    await expect(download(deps, target)).rejects.toMatchObject({
      error: 'file_error',
      message: `${target} could not be written: the disk is full`,
    });
    expect(names()).not.toContain('r.pdf');
    await expect(
      download(depsOf([{}]).deps, path.join(folder, 'missing', 'r.pdf')),
    ).rejects.toMatchObject({
      error: 'file_error',
      message: `${path.join(folder, 'missing', 'r.pdf')} could not be written: no such file or directory`,
      hint: `Create the directory ${path.join(folder, 'missing')} first.`,
    });
  });

  it('ends with the whole file or with an error and no file, however often it is cut', async () => {
    const turn = fc.record({
      cutAfter: fc.option(fc.nat(content.length), { nil: undefined }),
      etag: fc.constantFrom('"v1"', 'W/"v1"', null),
      ignoresRange: fc.boolean(),
      hash: fc.constantFrom(sha256, null),
      status: fc.option(fc.constant(416), { nil: undefined, freq: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 6 }), async (turns) => {
        const file = path.join(folder, 'p.pdf');
        const done = await download(depsOf(turns as readonly Turn[]).deps, file).catch(
          (error: unknown) => error,
        );
        const isThere = names().includes('p.pdf');
        if (done instanceof Error) expect(isThere).toBe(false);
        else expect(readFileSync(file).equals(content)).toBe(true);
        for (const name of names()) rmSync(path.join(folder, name));
      }),
      { numRuns: 60 },
    );
  });
});

describe('the hash of an answer', () => {
  const base64 = createHash('sha256').update(content).digest('base64');
  it.each([
    [{ 'x-content-sha256': sha256.toUpperCase() }, sha256],
    [{ digest: `sha-256=${base64}` }, sha256],
    [{ digest: `md5=abc, SHA-256=${base64}` }, sha256],
    [{ 'repr-digest': `sha-256=:${base64}:` }, sha256],
    [{ digest: 'sha-256=short' }, undefined],
    [{}, undefined],
  ])('is read of %j', (headers, expected) => {
    expect(answeredHash(new Headers(headers))).toBe(expected);
  });
});
