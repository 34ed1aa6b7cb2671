import type { Violation } from '../../src/contract/violations.ts';
import type { Got, Sent, TestService } from './test-service.ts';
import { policy } from './test-service.ts';

/** Short ways to an inventory, for tests of what happens to it. */
export function inventoryOf(service: Pick<TestService, 'send'>) {
  const ok = async (method: string, path: string, sent: Sent = {}): Promise<Got> => {
    const got = await service.send(method, path, sent);
    if (got.status >= 300) throw new Error(`${method} ${path}: ${got.status} ${got.text}`);
    return got;
  };
  return {
    ok,
    /** A bucket, replaced as a whole. */
    put: (id: string, fields: Readonly<Record<string, unknown>> = {}) =>
      ok('PUT', `/v1/resources/${encodeURIComponent(id)}`, {
        body: { id, type: 'AWS::S3::Bucket', ...fields },
      }),
    createPolicy: async (name: string, fields: Readonly<Record<string, unknown>> = {}) =>
      String((await ok('POST', '/v1/policies', { body: policy(name, fields) })).json.id),
    changePolicy: (id: string, fields: Readonly<Record<string, unknown>>) =>
      ok('PUT', `/v1/policies/${id}`, { body: fields }),
    exempt: async (fields: Readonly<Record<string, unknown>>) =>
      String(
        (
          await ok('POST', '/v1/exemptions', {
            body: {
              policy: 'p',
              resources: ['*'],
              reason: 'agreed',
              owner: 'team-a',
              expires: '2026-03-31',
              ...fields,
            },
          })
        ).json.id,
      ),
    violations: async (query = '') =>
      (await ok('GET', `/v1/violations?${query}`)).json.violations as Violation[],
    /** Of the only violation. */
    async violation(): Promise<Violation> {
      const [one, second] = await this.violations();
      if (!one || second) throw new Error('there is not one violation');
      return one;
    },
    importLines: (text: string, headers: Readonly<Record<string, string>> = {}) =>
      service.send('POST', '/v1/resources/import', {
        text,
        headers: { 'content-type': 'application/x-ndjson', ...headers },
      }),
  };
}
