// A list from a server that nobody trusts.
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { listAll } from '../../src/client/list-all.ts';
import { policyObjects } from '../../src/client/objects.ts';

const policy = (id: string, description: string): object => ({
  id,
  name: id,
  description,
  resource_type: 'AWS::S3::Bucket',
  enabled: true,
  rules: [{ condition: 'true', effect: 'DENY' }],
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
});

test.each([
  ['longer', { characters: 50_000, objects: 1_000_000 }],
  ['of more objects', { characters: 1e9, objects: 10 }],
])('a list that is %s than any real one is refused, with what to look at', async (_, longest) => {
  let pages = 0;
  const long = 'x'.repeat(5_000);
  const text = (): string =>
    JSON.stringify({ policies: [policy(`p${++pages}`, long)], pagination: { has_more: true } });
  const client = createClient({
    baseUrl: 'https://s.test',
    fetch: () => Promise.resolve(new Response(text())),
  });
  const read = async (): Promise<void> => {
    for await (const { id } of listAll(client, policyObjects, {}, longest))
      expect(id).toBe(`p${pages}`);
  };
  await expect(read()).rejects.toMatchObject({
    error: 'bad_answer',
    message: expect.stringContaining('still returned more') as string,
    hint: expect.stringContaining('base URL') as string,
  });
  expect(pages).toBeLessThan(12);
});
