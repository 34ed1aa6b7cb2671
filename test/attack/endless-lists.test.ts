// A hostile server whose lists have new rows on each page, for ever.
import { expect, it } from 'vitest';
import { runCommandLine } from '../support/fake-world.ts';

/** Stands where 16 MiB do. */
const mark = 'long';
const long = Buffer.alloc(16 * 1024 * 1024, 'x');
const created_at = '2026-01-01T00:00:00Z';

const rows: Readonly<Record<string, (nth: number) => object>> = {
  policies: (nth) => ({
    id: `p${nth}`,
    name: `p${nth}`,
    description: mark,
    resource_type: 'AWS::S3::Bucket',
    enabled: true,
    rules: [{ condition: 'true', effect: 'DENY' }],
    created_at,
    updated_at: created_at,
  }),
  events: (nth) => ({
    id: `evt_${nth}`,
    type: 'policy.violation.created',
    created: created_at,
    sequence: nth,
    api_version: 'v1',
    data: { text: mark },
  }),
};

it('actions of a remediation are read as many as there can be, however many a server counts', async () => {
  let read = 0;
  const answer = () => ({
    id: 'rem_1',
    status: 'planned',
    dry_run: true,
    why_not: [],
    digest: 'd',
    blast: { resources: 1, accounts: 0, environments: 0, percent: 1 },
    counts: {
      planned: 1e9,
      attempting: 0,
      unverified: 0,
      completed: 0,
      failed: 0,
      skipped: 0,
      cancelled: 0,
    },
    requested_by: 'u',
    expires_at: created_at,
    created_at,
    updated_at: created_at,
    actions: [
      {
        n: ++read,
        violation_id: 'v',
        policy_id: 'p',
        policy_name: 'p',
        severity: 'LOW',
        resource_id: 'r',
        resource_type: 't',
        provider: 'a',
        method: 'notify',
        changes: [],
        status: 'planned',
        before_image: false,
      },
    ],
  });
  const { exitCode } = await runCommandLine(['remediate', 'show', 'rem_1', '-o', 'json'], {
    env: { GOVCTL_BASE_URL: 'https://s.test', GOVCTL_TOKEN: 'any' },
    fetch: () => Promise.resolve(new Response(JSON.stringify(answer()))),
  });
  expect([exitCode, read]).toEqual([0, 1_000]);
});

it.each([
  ['policy list --all', 'policies'],
  ['policy list --limit 100000', 'policies'],
  ['event list --follow --all', 'events'],
])('`%s` of a list that does not end is refused, with what to look at', async (words, many) => {
  let pages = 0;
  // Bytes, as a hostile server sends them: texts of this length take minutes to make in a full heap.
  const page = (): Buffer => {
    const text = JSON.stringify({
      [many]: [rows[many]?.(++pages)],
      pagination: { limit: 1, offset: pages, total: 1_000_000_000, has_more: true },
    });
    const [start = '', end = ''] = text.split(mark);
    return Buffer.concat([Buffer.from(start), long, Buffer.from(end)]);
  };
  const { exitCode, stdout, stderr } = await runCommandLine(words.split(' '), {
    env: { GOVCTL_BASE_URL: 'https://s.test', GOVCTL_TOKEN: 'any', NO_COLOR: '1' },
    fetch: () => Promise.resolve(new Response(page())),
  });
  expect(stderr).toContain(`Too many ${many}: the server still returned more`);
  expect(stderr).toContain('base URL');
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(pages).toBeLessThan(20);
});
