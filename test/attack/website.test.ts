import { afterEach, beforeEach, expect, test } from 'vitest';
import { contract } from '../../src/contract/contract.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import type { TestService } from '../server/test-service.ts';
import { startTestService } from '../server/test-service.ts';

// A page of somebody else, open in the browser of a user of govctl whose server listens on the same machine.

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const origin = 'https://evil.example';
const endpoints = Object.values(contract).flatMap((noun) => Object.values<Endpoint>(noun));
const urlOf = ({ path }: Endpoint): string => path.replace(/:\w+/g, 'x');

test('no answer can be read by another origin, and none sets a cookie', async () => {
  for (const endpoint of endpoints) {
    for (const [method, key] of [
      ['OPTIONS', null],
      [endpoint.method, null],
      [endpoint.method, service.key],
    ] as const) {
      const headers = { origin, 'access-control-request-method': endpoint.method };
      const got = await service.send(method, urlOf(endpoint), { key, headers });
      const opening = [...got.headers.keys()].filter((name) => /^access-control-|^set-cookie$/.test(name)); // prettier-ignore
      expect([method, endpoint.path, opening]).toEqual([method, endpoint.path, []]);
    }
  }
});

test('what a page can send without asking, a form for example, changes nothing', async () => {
  const changing = endpoints.filter(({ method, scope }) => method !== 'GET' && scope !== null);
  expect(changing.length).toBeGreaterThan(20);
  for (const endpoint of changing) {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const headers = { origin, 'content-type': type, cookie: `token=${service.key}` };
      const got = await service.send(endpoint.method, urlOf(endpoint), { key: null, headers, text: 'a=b' }); // prettier-ignore
      expect([endpoint.path, got.status]).toEqual([endpoint.path, 401]);
    }
  }
});

test('a website whose name leads to this machine reads no metrics of a local server', async () => {
  await service.close();
  service = await startTestService({ metricsText: () => () => Promise.resolve('up 1\n') });
  const ask = (host: string) =>
    service.app.fetch(new Request(`http://${host}/metrics`), { remoteAddress: '127.0.0.1' });
  for (const host of ['127.0.0.1:8787', 'localhost:8787', '[::1]:8787']) {
    expect([host, (await ask(host)).status]).toEqual([host, 200]);
  }
  for (const host of ['evil.example:8787', 'localhost.evil.example', '127.0.0.1.nip.io']) {
    expect([host, (await ask(host)).status]).toEqual([host, 401]);
  }
});
