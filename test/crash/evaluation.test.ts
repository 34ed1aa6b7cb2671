import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';

const resources = 1_500;
const policies = 20;

let folder: TempFolder;
let running: BuiltServer | undefined;
beforeEach(async () => void (folder = await tempFolder()));
afterEach(async () => {
  await running?.stop('SIGKILL');
  running = undefined;
  await folder.remove();
});

const start = async (): Promise<BuiltServer> =>
  (running = await startBuiltServer({ dataDir: join(folder.path, 'data') }));

async function ask(
  server: BuiltServer,
  method: string,
  path: string,
  text?: string,
  type = 'application/json',
): Promise<Record<string, unknown>> {
  const response = await fetch(`${server.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': type },
    ...(text === undefined ? {} : { body: text }),
  });
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks again and again until the answer will do. */
async function until<T>(ask: () => Promise<T>, isEnough: (answer: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 3_000; tries++) {
    const answer = await ask();
    if (isEnough(answer)) return answer;
    await pause(10);
  }
  throw new Error('it did not come to that');
}

const openIn = async (server: BuiltServer): Promise<number> => {
  const page = await ask(server, 'GET', '/v1/violations?status=OPEN&limit=1');
  return (page.pagination as { total: number }).total;
};

interface Page {
  readonly evaluations?: readonly { readonly status: string }[];
  readonly pagination: { readonly has_more: boolean; readonly next_cursor?: string };
}

/** All rows of a list. */
async function listAll(server: BuiltServer, path: string): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | undefined; ;) {
    const more = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = (await ask(server, 'GET', `${path}?limit=100${more}`)) as unknown as Page;
    pages.push(page);
    cursor = page.pagination.next_cursor;
    if (!page.pagination.has_more || cursor === undefined) return pages;
  }
}

/**
 * The overview equals a recount. It is of the policies that were evaluated on everything, a multiple of the resources; before
 * and after the lists are read it must be the same, as the background goes on.
 */
async function checkTallies(server: BuiltServer): Promise<void> {
  interface Overview {
    readonly evaluated: number;
    readonly compliance_score: number;
    readonly policy_violations: object;
  }
  const overview = async (): Promise<Overview> => {
    const answer = await ask(server, 'GET', '/v1/governance/overview');
    const { evaluated, compliance_score, policy_violations } = answer.governance_overview as Overview; // prettier-ignore
    return { evaluated, compliance_score, policy_violations };
  };
  for (let tries = 0; tries < 300; tries++) {
    const before = await overview();
    const rows = (await listAll(server, '/v1/evaluations')).flatMap((page) => page.evaluations ?? []); // prettier-ignore
    const open = await openIn(server);
    const after = await overview();
    if (JSON.stringify(after) !== JSON.stringify(before)) continue;
    expect(before.evaluated % resources).toBe(0);
    expect(before.policy_violations).toEqual({ critical: 0, high: 0, medium: open, low: 0 });
    // A tenth fails of each policy, all of one weight.
    const failing = rows.filter(({ status }) => status === 'FAIL').length;
    expect(failing).toBe(open);
    expect(before.compliance_score).toBe(before.evaluated === 0 ? 0 : 90);
    return;
  }
  throw new Error('the overview never rested');
}

/** What was left by a kill, opened beside it, so that the evaluation itself is not waited for. */
async function checkCopy(): Promise<void> {
  const copy = join(folder.path, 'copy');
  await cp(join(folder.path, 'data'), copy, { recursive: true });
  running = await startBuiltServer({ dataDir: copy });
  await checkTallies(running);
  await running.stop('SIGKILL');
  await rm(copy, { recursive: true });
}

test('background evaluation that was killed goes on where it was, and counts nothing twice', async () => {
  let server = await start();
  const lines = Array.from({ length: resources }, (_, at) =>
    JSON.stringify({ id: `r-${at}`, type: 'AWS::S3::Bucket', size: at }),
  );
  const ndjson = 'application/x-ndjson';
  await ask(server, 'POST', '/v1/resources/import', lines.join('\n'), ndjson);
  for (let at = 0; at < policies; at++) {
    const rules = [{ condition: `resource.size % 10 == ${at % 10}`, effect: 'DENY' }];
    const policy = { name: `p ${at}`, resource_type: 'AWS::S3::Bucket', rules };
    await ask(server, 'POST', '/v1/policies', JSON.stringify(policy));
  }
  const expected = (resources / 10) * policies;
  // Three times in the middle of it, at places of chance.
  let before = 0;
  for (let round = 1; round <= 3; round++) {
    const goal = before + 1 + Math.floor(Math.random() * (expected / 5));
    const reached = await until(
      () => openIn(server),
      (open) => open >= Math.min(goal, expected),
    );
    await server.stop('SIGKILL');
    await checkCopy();
    server = await start();
    before = await openIn(server);
    expect(before).toBeGreaterThanOrEqual(reached);
  }
  await until(
    () => openIn(server),
    (open) => open >= expected,
  );
  const scan = await ask(server, 'POST', '/v1/scans', '{}');
  const read = () => ask(server, 'GET', `/v1/scans/${String(scan.id)}`);
  await until(read, ({ progress }) => Number(progress) > 0);
  await server.stop('SIGKILL');
  server = await start();
  const done = await until(read, ({ status }) => status === 'completed');
  expect(done).toMatchObject({
    resources_scanned: resources,
    summary: { evaluated: resources * policies, fail: expected, error: 0 },
  });
  expect(await openIn(server)).toBe(expected);
  await checkTallies(server);
}, 180_000);
