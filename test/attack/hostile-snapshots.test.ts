import { createHash } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { Got } from '../server/test-service.ts';
import { startTestService } from '../server/test-service.ts';

const at = '2026-03-01T12:00:00.000Z';
const head = JSON.stringify({
  kind: 'govctl-snapshot',
  format_version: 1,
  version: '1',
  taken_at: at,
});

/** A file whose end says what its lines are. */
function whole(lines: readonly string[]): string {
  const body = [head, ...lines].map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(body).digest('hex');
  return `${body}${JSON.stringify({ end: true, lines: lines.length + 1, sha256 })}\n`;
}

/** @returns what restoring the file is answered, and how many turns of the event loop others had meanwhile */
async function restore(text: string): Promise<{ got: Got; turns: number }> {
  const service = await startTestService();
  onTestFinished(() => service.close());
  let [turns, isOver] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  const got = await service.send('POST', '/v1/local/restore', {
    text,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  isOver = true;
  return { got, turns };
}

it('a file of millions of empty lines is refused, while others have their turns', async () => {
  const { got, turns } = await restore(`${head}\n${'\n'.repeat(20_000_000)}{"end":true}\n`);
  expect([got.status, got.json.error_description]).toEqual([
    400,
    'The snapshot cannot be restored: line 20000002 is not the last line of a snapshot: the rest is missing',
  ]);
  expect(turns).toBeGreaterThan(200);
});

it('a file of nothing but line ends is refused for its first line', async () => {
  const { got } = await restore('\n'.repeat(60_000_000));
  expect(got.status).toBe(400);
  expect(got.json.error_description).toContain('line 1 is not the beginning of a snapshot');
});

it.each([
  ['the first line', `${' '.repeat(200_000_000)}\n`, 'line 1 is longer than 4 MiB'],
  [
    'a line',
    whole([`{"in":"policies","doc":"${'x'.repeat(5_000_000)}"}`]),
    'line 2 is longer than 4 MiB',
  ],
  ['a very long line', `${head}\n${'x'.repeat(200_000_000)}\n{}\n`, 'line 2 is longer than 4 MiB'],
  ['the last line', `${head}\n${' '.repeat(200_000_000)}\n`, 'line 2 is longer than 4 MiB'],
])('%s that would be read in one turn of seconds is refused unread', async (_, text, why) => {
  const { got } = await restore(text);
  expect(got.status).toBe(400);
  expect(got.json.error_description).toContain(why);
});

it('others have their turns while a sequence is drawn to the highest number', async () => {
  const { got, turns } = await restore(whole([JSON.stringify({ sequence: 'events', value: 1e7 })]));
  expect(got.status).toBe(200);
  expect(turns).toBeGreaterThan(500);
});

it('others have their turns while very many documents are put in', async () => {
  const docs = Array.from({ length: 20_000 }, (_, n) => ({
    in: 'resources',
    doc: {
      id: `r${n}`,
      resource: {
        id: `r${n}`,
        type: 'AWS::S3::Bucket',
        provider: 'aws',
        tags: {},
        properties: {},
      },
      created_at: at,
      updated_at: at,
    },
  }));
  const { got, turns } = await restore(whole(docs.map((doc) => JSON.stringify(doc))));
  expect([got.status, got.json.restored, got.json.error_description]).toEqual([
    200,
    { resources: 20_000 },
    undefined,
  ]);
  expect(turns).toBeGreaterThan(60);
});
