import { afterEach, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { create, idOf, renderText, startReports } from '../server/reports/report-world.ts';
import type { Got, TestService } from '../server/test-service.ts';

// Somebody who only reads asks for all formats of all reports at once. What was not asked for at first is rendered then.

let service: TestService;
afterEach(() => service.close());

const formats = ['csv', 'excel', 'html'] as const;

/** Files that were begun, and what they wait for. */
const begun: string[] = [];
let gate: Promise<void>;

/** @returns what lets files be finished from now on */
function hold(): () => void {
  begun.length = 0;
  let goOn = (): void => undefined;
  gate = new Promise((resolve) => (goOn = resolve));
  return goOn;
}

/** Reports of which nothing but a PDF was asked for. */
async function reportsOf(...names: string[]): Promise<string[]> {
  service = await startReports({
    reports: {
      async render(job) {
        if (job.options.format === 'pdf') return renderText(job);
        begun.push(job.options.filename);
        await gate;
        return renderText(job);
      },
    },
  });
  const ids: string[] = [];
  for (const name of names) ids.push(idOf(await create(service, { name })));
  await service.reportWork.idle();
  return ids;
}

const download = (id: string | undefined, format: string, key: string): Promise<Got> =>
  service.send('GET', `/v1/reports/${id}/download/${format}`, { key });

test('however many formats one caller asks for, another waits for one of them', async () => {
  const [wide, small] = await reportsOf('wide', 'small');
  const [flooder, owner] = [
    await service.keyWith('governance:read'),
    await service.keyWith('governance:read'),
  ];
  const goOn = hold();
  const flood = formats.map((format) => download(wide, format, flooder));
  await until(() => begun.length === 1);
  const own = download(small, 'csv', owner);
  goOn();
  expect([...(await Promise.all(flood)), await own].map(({ status }) => status)).toEqual([
    200, 200, 200, 200,
  ]);
  expect(begun.indexOf('small.csv')).toBeLessThan(3);
});

test('strangers with links of a caller do not keep others waiting either', async () => {
  const [wide, small] = await reportsOf('wide', 'small');
  const owner = await service.keyWith('governance:read');
  hold()();
  const links: string[] = [];
  for (const format of formats) {
    const made = await service.send('POST', `/v1/reports/${wide}/download-link`, {
      body: { format },
    });
    links.push(String(made.json.url).replace('https://govctl.test', ''));
  }
  // What the links lead to is lost, so that it is made anew.
  for await (const blob of service.deps.store.blobs.list()) {
    if (/\.(?:csv|excel|html)$/.test(blob)) await service.deps.store.blobs.remove(blob);
  }
  const goOn = hold();
  const strangers = links.map((link) => service.send('GET', link, { key: null }));
  await until(() => begun.length === 1);
  const own = download(small, 'csv', owner);
  goOn();
  expect([...(await Promise.all(strangers)), await own].map(({ status }) => status)).toEqual([
    200, 200, 200, 200,
  ]);
  expect(begun.indexOf('small.csv')).toBeLessThan(3);
});

test('who leaves before it is their turn has nothing rendered; what is being rendered is finished', async () => {
  const [wide] = await reportsOf('wide');
  const key = await service.keyWith('governance:read');
  const goOn = hold();
  const leaving = new AbortController();
  const flood = formats.map((format) =>
    service.app.fetch(
      new Request(`http://service.test/v1/reports/${wide}/download/${format}`, {
        headers: { authorization: `Bearer ${key}` },
        signal: leaving.signal,
      }),
      { remoteAddress: undefined },
    ),
  );
  await until(() => begun.length === 1);
  leaving.abort(new Error('left'));
  goOn();
  await Promise.allSettled(flood);
  expect((await download(wide, 'csv', key)).status).toBe(200);
  expect(begun).toEqual(['wide.csv']);
});
