import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTempFolder, startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';
import { until } from '../support/until.ts';

let server: BuiltServer;
let dataDir: string;
beforeEach(async () => {
  dataDir = `${makeTempFolder()}/data`;
  server = await startBuiltServer({ dataDir });
});
afterEach(() => server.stop('SIGKILL'));

/** Costs far more than an evaluation may: 1,500 times 1,500 calls that look up a time zone. */
const costly = 'resource.n.all(a, resource.n.all(b, now.getHours("America/New_York") < 24))';
const numbers = Array.from({ length: 1_500 }, (_, at) => at);
const resource = (id: string) => ({ id, type: 'Custom::Thing', n: numbers });
const withRules = (conditions: readonly string[], fields = {}) => ({
  name: 'p',
  resource_type: 'Custom::Thing',
  rules: conditions.map((condition) => ({ condition, effect: 'DENY' })),
  ...fields,
});

interface Got {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

async function send(method: string, path: string, body?: unknown, key = server.key): Promise<Got> {
  const answer = await fetch(server.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, json: (text ? JSON.parse(text) : {}) as Got['json'] };
}

const readOnlyKey = async (): Promise<string> => {
  const body = { name: 'reader', scopes: ['governance:read'] };
  return String((await send('POST', '/v1/api-keys', body)).json.key);
};

/** Sends something costly. @returns what it got, once others were answered while it was under way */
async function answeredMeanwhile(costlyRequest: () => Promise<Got>): Promise<Got> {
  const order: string[] = [];
  const under = costlyRequest().finally(() => order.push('costly'));
  for (let at = 0; at < 20; at++) {
    expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
    expect((await send('GET', '/v1/policies')).status).toBe(200);
  }
  order.push('others');
  const got = await under;
  expect(order).toEqual(['others', 'costly']);
  return got;
}

describe('a read-only key', () => {
  it('holds up nobody with conditions that take all of a request’s budget', async () => {
    const key = await readOnlyKey();
    const resources = Array.from({ length: 22 }, (_, at) => resource(`r${at}`));
    const body = { resources, policies: [withRules([costly])] };
    const got = await answeredMeanwhile(() => send('POST', '/v1/policies/validate', body, key));
    // On a machine that is that busy.
    if (got.status === 503) return expect(got.json.error).toBe('unavailable');
    const { summary, results } = got.json as {
      summary: object;
      results: { reason: string; rules: { message: string }[] }[];
    };
    expect(got.status).toBe(200);
    expect(summary).toMatchObject({ evaluated: 22, error: 22 });
    expect(new Set(results.map(({ reason }) => reason))).toEqual(new Set(['budget']));
    // The last ones had nothing left of what the request may take.
    expect(results[0]?.rules[0]?.message).toContain('on this resource');
    expect(results.at(-1)?.rules[0]?.message).toContain('the request exceeds the budget');
  });

  it('gets the same verdicts for the same input, whatever else the machine does', async () => {
    const key = await readOnlyKey();
    const body = {
      resources: Array.from({ length: 2 }, (_, at) => resource(`r${at}`)),
      policies: [
        withRules([costly]),
        withRules(['resource.n.exists(a, a == 1499)'], { name: 'cheap' }),
      ],
    };
    const ask = () => send('POST', '/v1/policies/validate', body, key);
    const alone = await ask();
    expect(alone.status).toBe(200);
    expect(await Promise.all([ask(), ask()])).toEqual([alone, alone]);
  });

  it.each([
    [
      'many rules of many terms',
      Array.from({ length: 140 }, (_, rule) =>
        Array.from({ length: 2_000 }, (_, at) => `resource.n == ${rule + at}`).join(' || '),
      ),
    ],
    [
      'many regular expressions',
      Array.from(
        { length: 500 },
        (_, at) => `resource.id.matches("(?i)(a|b${at}){1,100}.*\\\\pL+")`,
      ),
    ],
  ])('holds up nobody with %s', async (_, conditions) => {
    const key = await readOnlyKey();
    const body = { resources: [resource('r')], policies: [withRules(conditions)] };
    const under = send('POST', '/v1/policies/validate', body, key);
    expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
    const got = await under;
    // Refused before it is compiled, or evaluated within its budget.
    if (got.status === 400) expect(got.json.error_code).toBe('POL_003');
    else expect([200, 413, 503]).toContain(got.status);
  });
});

/** 45,000 parts in some 500 characters. */
const large = (at: number): string => {
  const pattern = (n: number) => `(a|b)*a${'[ab]{1000}'.repeat(8)}(x{${n % 900}})`;
  const parts = Array.from(
    { length: 5 },
    (_, n) => `resource.id.matches("${pattern(5 * at + n)}")`,
  );
  return parts.join(' || ');
};

describe('stored policies whose patterns take more memory than a thread has', () => {
  it('leave resources of their type to be stored, and scanned', async () => {
    // Twenty at once: what is checked takes a turn each.
    for (let at = 0; at < 180; at += 20) {
      const created = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          send('POST', '/v1/policies', withRules([large(at + n)], { name: `p${at + n}` })),
        ),
      );
      expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201]));
    }
    // A busy machine may say so, and takes it later.
    let stored = 503;
    await until(async () => {
      ({ status: stored } = await send('PUT', '/v1/resources/r', resource('r')));
      return stored !== 503;
    });
    expect(stored).toBe(201);
    const scan = String((await send('POST', '/v1/scans', {})).json.id);
    const stateOf = async () => (await send('GET', `/v1/scans/${scan}`)).json;
    await until(async () => ['completed', 'failed'].includes(String((await stateOf()).status)));
    expect(await stateOf()).toMatchObject({ status: 'completed', summary: { pass: 180 } });
  });
});

describe('a stored policy that costs too much', () => {
  it('stops no server, not even one that starts with it, and is tried again when it changes', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 3; at++) {
      const rules = Array.from({ length: 60 }, (_, rule) => costly.replace('24', `${24 + rule}`));
      const got = await send('POST', '/v1/policies', withRules(rules, { name: `p${at}` }));
      expect(got.status).toBe(201);
      ids.push(String(got.json.id));
    }
    const resources = Array.from({ length: 60 }, (_, at) => resource(`r${at}`));
    const stored = await answeredMeanwhile(() => send('POST', '/v1/resources', { resources }));
    expect(stored).toMatchObject({ status: 200, json: { created: 60 } });
    await server.stop('SIGKILL');
    server = await startBuiltServer({ dataDir });
    expect((await send('GET', '/v1/resources')).status).toBe(200);
    const scan = String((await send('POST', '/v1/scans', {})).json.id);
    const isDone = async () => (await send('GET', `/v1/scans/${scan}`)).json.status === 'completed';
    await until(isDone);
    for (const id of ids) {
      expect((await send('GET', `/v1/policies/${id}`)).json.quarantined).toBeDefined();
    }
    const [id] = ids;
    const cheap = { rules: [{ condition: 'resource.n.size() > 3', effect: 'DENY' }] };
    await send('PUT', `/v1/policies/${id}`, cheap);
    await until(
      async () =>
        ((await send('GET', `/v1/violations?policy_id=${id}`)).json.pagination as { total: number })
          .total === 60,
    );
    expect(await server.stop()).toBe(0);
  });
});
