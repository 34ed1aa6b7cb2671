import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RenderCrash, RenderFault } from '../../../../src/report/formats/render-fault.ts';
import type { RenderJob } from '../../../../src/server/reports/rendering/render-stored.ts';
import { createRenderer } from '../../../../src/server/reports/rendering/thread/threads.ts';
import type { Renderer } from '../../../../src/server/reports/rendering/thread/threads.ts';
import { withTimeLimit } from '../../../../src/server/reports/rendering/thread/time-limit.ts';
import { until } from '../../../support/until.ts';
import { tempFolder } from '../../store/lowdb/temp-folder.ts';
import type { TempFolder } from '../../store/lowdb/temp-folder.ts';
import { memoryBlobs } from '../memory-blobs.ts';

/** A thread that does what the name of the file says; what it renders is the number of its thread. */
const thread = `
import { parentPort, threadId } from 'node:worker_threads';
const bytes = () => new TextEncoder().encode(String(threadId));
parentPort.on('message', ({ kind, options }) => {
  if (kind === 'taken') parentPort.postMessage({ kind: 'rendered', rendered: {} });
  if (kind !== 'render') return;
  if (options.filename === 'throw') throw new Error('a bug');
  if (options.filename === 'exit') process.exit(3);
  if (options.filename === 'loop') for (;;);
  if (options.filename === 'memory') for (const all = []; ; ) all.push(new Array(1e6).fill({}));
  if (options.filename === 'fault') {
    parentPort.postMessage({ kind: 'failed', message: 'cannot', fault: true });
  } else {
    parentPort.postMessage({ kind: 'chunk', bytes: bytes() });
    if (options.filename === 'then throw') throw new Error('half a file');
  }
});
`;

let folder: TempFolder;
let file: URL;
let renderer: Renderer;
beforeEach(async () => {
  folder = await tempFolder();
  const script = path.join(folder.path, 'thread.mjs');
  await writeFile(script, thread);
  file = pathToFileURL(script);
  renderer = createRenderer({ most: 2, file, mostMemory: 64 });
});
afterEach(async () => {
  await renderer.close();
  await folder.remove();
});

/** Renders a file of that name. @returns what was written */
async function render(filename: string, fields: Partial<RenderJob> = {}): Promise<string> {
  let text = '';
  await renderer.render({
    blobs: memoryBlobs(),
    model: [],
    options: { format: 'csv', filename, random: (count) => Buffer.alloc(count) },
    write: (chunk) => Promise.resolve(void (text += Buffer.from(chunk).toString())),
    signal: new AbortController().signal,
    ...fields,
  });
  return text;
}

test('one thread is used again, also after a fault; two files at once take two', async () => {
  const first = await render('a');
  expect(first).toMatch(/^\d+$/);
  await expect(render('fault')).rejects.toThrow(new RenderFault('cannot'));
  expect(await render('b')).toBe(first);
  expect(new Set(await Promise.all([render('c'), render('d')])).size).toBe(2);
});

test.each(['throw', 'exit', 'memory', 'then throw'])(
  'a thread that ends by itself (%s) fails its file only',
  async (name) => {
    await expect(render(name)).rejects.toBeInstanceOf(RenderCrash);
    expect(await render('a')).toMatch(/^\d+$/);
  },
);

test('more files than threads wait for their turn', async () => {
  const written: (() => void)[] = [];
  const write = () => new Promise<void>((resolve) => written.push(resolve));
  const all = [1, 2, 3].map((name) => render(String(name), { write }));
  await until(() => written.length === 2);
  written.shift()?.();
  await until(() => written.length === 2);
  for (const resolve of written) resolve();
  await Promise.all(all);
});

test('a thread that is not heard of any more is ended', async () => {
  const impatient = createRenderer({ most: 1, file, patience: { base: 100, perMiB: 0 } });
  const options = { format: 'csv', filename: 'loop', random: () => Buffer.alloc(0) } as const;
  const job = { blobs: memoryBlobs(), model: [], options, write: () => Promise.resolve() };
  await expect(impatient.render({ ...job, signal: new AbortController().signal })).rejects.toThrow(
    new RenderCrash('the rendering thread did not respond for 0.1 s'),
  );
  await impatient.close();
});

test('the time that a write takes is not counted, and what has read much may take longer', async () => {
  const blobs = memoryBlobs(1_000_000);
  const writer = await blobs.create('model');
  await writer.write(Buffer.alloc(10_000_000));
  await writer.finish();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { job, end } = withTimeLimit(
    {
      blobs,
      model: [],
      options: { format: 'csv', filename: 'a', random: () => Buffer.alloc(0) },
      write: () => Promise.resolve(void vi.advanceTimersByTime(300)),
      signal: new AbortController().signal,
    },
    { base: 100, perMiB: 100_000 },
  );
  await job.write(Buffer.alloc(1));
  expect(job.signal.aborted).toBe(false);
  for await (const chunk of job.blobs.read('model')) expect(chunk.length).toBe(1_000_000);
  vi.advanceTimersByTime(300);
  expect(job.signal.aborted).toBe(false);
  end();
  vi.useRealTimers();
});

test('what waits for its turn ends with its abort, and what somebody waits for has a turn of its own', async () => {
  const written: (() => void)[] = [];
  const write = () => new Promise<void>((resolve) => written.push(resolve));
  const held = [render('a', { write }), render('b', { write })];
  await until(() => written.length === 2);
  const abort = new AbortController();
  const behind = render('c', { signal: abort.signal });
  const last = render('d');
  abort.abort(new Error('deleted'));
  await expect(behind).rejects.toThrow('deleted');
  expect(await render('e', { isAwaited: true })).toMatch(/^\d+$/);
  for (const resolve of written) resolve();
  await Promise.all([...held, last]);
});

test('an abort, and a failing write, end the thread; the next file has another', async () => {
  const first = await render('a');
  const abort = new AbortController();
  let wrote = false;
  const held = render('b', {
    signal: abort.signal,
    write: () => new Promise(() => void (wrote = true)),
  });
  await until(() => wrote);
  abort.abort(new Error('deleted'));
  await expect(held).rejects.toThrow('deleted');
  const second = await render('c');
  expect(second).not.toBe(first);
  const full = render('d', { write: () => Promise.reject(new Error('disk full')) });
  await expect(full).rejects.toThrow('disk full');
  expect(await render('e')).not.toBe(second);
});

test('a close ends what is under way, and renders nothing more', async () => {
  let wrote = false;
  const held = render('a', { write: () => new Promise(() => void (wrote = true)) });
  await until(() => wrote);
  await renderer.close();
  await expect(held).rejects.toBeInstanceOf(RenderCrash);
  await expect(render('b')).rejects.toThrow('stopping');
});
