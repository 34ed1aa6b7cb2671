import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { contract } from '../../src/contract/contract.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { errorCatalogue } from '../../src/contract/errors.ts';
import { buildOpenApi, errorsOf } from '../../src/contract/openapi.ts';

const document = JSON.parse(JSON.stringify(buildOpenApi({ version: '1.2.3' }))) as {
  paths: Record<string, Record<string, Operation>>;
};
interface Operation {
  readonly operationId: string;
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
  }[];
  readonly responses: Record<
    string,
    { readonly content?: Record<string, { readonly examples?: object }> }
  >;
  readonly 'x-extension'?: true;
}
const rows = Object.entries(contract).flatMap(([noun, verbs]) =>
  Object.entries(verbs).map(([verb, endpoint]): [string, Endpoint] => [
    `${noun}.${verb}`,
    endpoint,
  ]),
);
const operationOf = (endpoint: Endpoint): Operation | undefined =>
  document.paths[endpoint.path.replace(/:(\w+)/g, '{$1}')]?.[endpoint.method.toLowerCase()];

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1 by an independent validator', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it.each(rows)(
    'has %s with its parameters, scope and every status it may answer',
    (id, endpoint) => {
      const operation = operationOf(endpoint);
      expect(operation?.operationId).toBe(id);
      expect(operation?.['x-extension']).toBe(endpoint.ext);
      const oauth = operation?.security.find((each) => each.oauth2);
      const { scope } = endpoint;
      expect(oauth?.oauth2).toEqual(scope === null ? undefined : scope === 'any' ? [] : [scope]);
      const inPath =
        operation?.parameters?.filter((each) => each.in === 'path').map(({ name }) => name) ?? [];
      expect(inPath).toEqual([...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name));
      const statuses = Object.keys(operation?.responses ?? {}).map(Number);
      expect(statuses).toContain(endpoint.response.status);
      for (const error of errorsOf(endpoint))
        expect(statuses).toContain(errorCatalogue[error].status);
    },
  );

  it('lists the parameters of the policy list', () => {
    const names = document.paths['/v1/policies']?.get?.parameters?.map(({ name }) => name);
    expect(names).toEqual([
      'limit',
      'offset',
      'cursor',
      'order',
      'sort_by',
      'resource_type',
      'severity',
      'enabled',
      'tags',
    ]);
  });

  it('names each error by an example', () => {
    const conflict = document.paths['/v1/policies']?.post?.responses['409'];
    expect(Object.keys(conflict?.content?.['application/json']?.examples ?? {})).toEqual([
      'policy_name_taken',
      'idempotency_key_reused',
    ]);
  });
});
