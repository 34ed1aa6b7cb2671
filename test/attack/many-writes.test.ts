import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Store } from '../../src/server/store/store.ts';
import { policy, startTestService } from '../server/test-service.ts';
import type { TestService } from '../server/test-service.ts';
import { until } from '../support/until.ts';

let service: TestService;
/** What transactions wait for, if anything, and how many have been asked for. */
let gate: Promise<void> | undefined;
let asked = 0;

const gated = (store: Store): Store => ({
  ...store,
  transact(work, owner) {
    asked += 1;
    return store.transact(async (tx) => {
      await gate;
      return work(tx);
    }, owner);
  },
});

beforeEach(async () => void (service = await startTestService({ wrapStore: gated })));
afterEach(() => service.close());

const many = 200;
const type = 'AWS::S3::Bucket';

it.each<[string, (n: number) => [string, string, string]]>([
  ['new policies', (n: number) => ['POST', '/v1/policies', JSON.stringify(policy(`p${n}`))]],
  ['resources', (n: number) => ['PUT', `/v1/resources/r${n}`, JSON.stringify({ id: `r${n}`, type })]], // prettier-ignore
  ['imports', (n: number) => ['POST', '/v1/resources/import', `{"id":"r${n}","type":"${type}"}\n`]],
])('hundreds of %s by one caller delay a change by another by one of them', async (_, change) => {
  const key = await service.keyWith('compliance:write');
  const ended: string[] = [];
  const send = (by: string, n: number): Promise<unknown> => {
    const [method, url, text] = change(n);
    const headers = {
      'content-length': String(text.length),
      ...(url.endsWith('import') ? { 'content-type': 'application/x-ndjson' } : {}),
    };
    return service
      .send(method, url, { text, headers, key: by })
      .then(({ status }) => ended.push(`${by === key ? 'other' : 'one'} ${status < 300}`));
  };
  let open = (): void => undefined;
  gate = new Promise((resolve) => (open = resolve));
  asked = 0;
  try {
    const sent = Array.from({ length: many }, (_unused, n) => send(service.key, n));
    await until(() => asked >= many);
    sent.push(send(key, many));
    await until(() => asked > many);
    gate = undefined;
    open();
    await Promise.all(sent);
  } finally {
    open();
  }
  expect(ended.indexOf('other true')).toBeLessThanOrEqual(2);
  expect(new Set(ended)).toEqual(new Set(['one true', 'other true']));
});
