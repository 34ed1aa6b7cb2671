import { MessageChannel } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { RenderFault } from '../../../../src/report/formats/render-fault.ts';
import type { renderFile } from '../../../../src/report/formats/render-file.ts';
import type { RenderJob } from '../../../../src/server/reports/rendering/render-stored.ts';
import { renderOver } from '../../../../src/server/reports/rendering/thread/render-over.ts';
import { serveRenders } from '../../../../src/server/reports/rendering/thread/serve.ts';
import { saveModel } from '../../../../src/server/reports/rendering/stored-model.ts';
import type { Blobs } from '../../../../src/server/store/store.ts';
import { memoryBlobs } from '../memory-blobs.ts';
import { tinyModel } from '../report-world.ts';

const order = {
  id: 'rpt_1',
  name: 'Tiny',
  type: 'risk',
  scope: {},
  include_executive_summary: true,
  include_detailed_findings: true,
  generated_by: 'user_1',
  at: 0,
} as const;

let close: (() => void)[] = [];
afterEach(() => {
  for (const one of close) one();
  close = [];
});

/** Both ends in this thread, over a real channel. */
function connect(render: typeof renderFile) {
  const { port1, port2 } = new MessageChannel();
  close.push(() => port1.close());
  serveRenders(port2, render);
  return port1;
}

const jobOf = async (rows: number, fields: Partial<RenderJob> = {}) => {
  const blobs = memoryBlobs();
  const model = await saveModel(tinyModel(order, rows), blobs, 'm', {
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  const chunks: Uint8Array[] = [];
  const job: RenderJob = {
    blobs,
    model,
    options: { format: 'csv', filename: 'f.csv', random: (count) => Buffer.alloc(count) },
    write: (chunk) => Promise.resolve(void chunks.push(chunk)),
    signal: new AbortController().signal,
    ...fields,
  };
  return { job, text: () => Buffer.concat(chunks).toString('utf8'), chunks };
};

const writeRows: typeof renderFile = async ({ sections }, _options, write) => {
  for (const { blocks } of sections) {
    for (const block of blocks) {
      if (block.kind !== 'table') continue;
      for await (const batch of block.rows()) await write(Buffer.from(`${batch.join('\n')}\n`));
    }
  }
  return { pages: { total: 1, sections: [1] } };
};

test('a file comes over a port as it was written, in its order', async () => {
  const { job, text, chunks } = await jobOf(30_000);
  expect(await renderOver(connect(writeRows), job)).toEqual({ pages: { total: 1, sections: [1] } });
  expect(text()).toBe(Array.from({ length: 30_000 }, (_, at) => `${at}\n`).join(''));
  expect(chunks.length).toBeGreaterThan(1);
});

test('no more is handed over than is taken', async () => {
  let asked = 0;
  let taken = 0;
  const render: typeof renderFile = async (_model, _options, write) => {
    for (; asked < 100; asked += 1) await write(Buffer.alloc(64 * 1024));
    return {};
  };
  const { job } = await jobOf(1, {
    write: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      taken += 1;
      expect(asked - taken).toBeLessThan(2);
    },
  });
  await renderOver(connect(render), job);
  expect(taken).toBe(100);
});

test('one port renders one file after another, and reads only what is wanted of each', async () => {
  const port = connect(async ({ sections }, options, write) => {
    const [block] = sections[1]?.blocks ?? [];
    if (block?.kind !== 'table') throw new Error('no table');
    for await (const [row] of block.rows()) {
      await write(Buffer.from(`${options.format} ${String(row?.[0])}`));
      break;
    }
    return {};
  });
  for (let at = 0; at < 3; at += 1) {
    const { job, text } = await jobOf(5_000);
    await renderOver(port, job);
    expect(text()).toBe('csv 0');
  }
});

test('a fault keeps its words, what is unexpected is an error, and the port goes on', async () => {
  let turn = 0;
  const port = connect(() => {
    turn += 1;
    if (turn === 1) throw new RenderFault('No csv files yet');
    if (turn === 2) throw new TypeError('x is not a function');
    return Promise.resolve({});
  });
  await expect(renderOver(port, (await jobOf(1)).job)).rejects.toThrow(
    new RenderFault('No csv files yet'),
  );
  const failed = renderOver(port, (await jobOf(1)).job);
  await expect(failed).rejects.toThrow('x is not a function');
  await expect(failed).rejects.not.toBeInstanceOf(RenderFault);
  expect(await renderOver(port, (await jobOf(1)).job)).toEqual({});
});

test('what cannot be read, or not be written, ends it; no path crosses the port', async () => {
  const unreadable: Pick<Blobs, 'read'> = {
    read: async function* () {
      await Promise.resolve();
      throw new Error('EIO /var/lib/secret');
    },
  };
  const { job } = await jobOf(1, { blobs: unreadable });
  await expect(renderOver(connect(writeRows), job)).rejects.toThrow(
    /^a stored file cannot be read$/,
  );
  const full = await jobOf(1, { write: () => Promise.reject(new Error('disk full')) });
  await expect(renderOver(connect(writeRows), full.job)).rejects.toThrow('disk full');
});

test('an abort ends it at once, with its reason', async () => {
  const abort = new AbortController();
  const { job } = await jobOf(1, { signal: abort.signal });
  const rendering = renderOver(
    connect(() => new Promise(() => undefined)),
    job,
  );
  abort.abort(new Error('deleted'));
  await expect(rendering).rejects.toThrow('deleted');
});
