import { describe, expect, test } from 'vitest';
import type { Resource } from '../../../../src/contract/resources.ts';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import { verdictsOf } from '../../../support/policy-library.ts';
import { attributesOf, planOf, readOne } from '../provider-twins.ts';
import type { Fields } from '../provider-twins.ts';

const $schema = 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#';

const account = 'Microsoft.Storage/storageAccounts';
const accounts = 'Azure::Storage::storageAccounts';

const fromTemplate = (apiVersion: string, body: Fields): Resource =>
  readOne({ $schema, resources: [{ type: account, apiVersion, name: 'a', ...body }] }, accounts);

const planned = (type: string, after: Fields): Fields => planOf({ [`${type}.a`]: after });

const fromPlan = (apiVersion: string, body: unknown): Resource =>
  readOne(
    planned('azapi_resource', { type: `${account}@${apiVersion}`, name: 'a', body }),
    accounts,
  );

describe("Azure's own document in a plan is read as in a template", () => {
  test.each<[string, Fields]>([
    ['2018-07-01', {}],
    ['2018-07-01', { properties: { minimumTlsVersion: 'TLS1_2' } }],
    [
      '2019-06-01',
      { properties: { supportsHttpsTrafficOnly: false, minimumTlsVersion: 'TLS1_1' } },
    ],
    ['2023-01-01', { sku: { name: 'Standard_LRS' }, properties: {} }],
    [
      '2023-01-01',
      { properties: { publicNetworkAccess: 'Disabled', allowSharedKeyAccess: false } },
    ],
  ])('with API version %s: %j', (apiVersion, body) => {
    const expected = attributesOf(fromTemplate(apiVersion, body));
    for (const written of [body, JSON.stringify(body)])
      expect(attributesOf(fromPlan(apiVersion, written))).toEqual(expected);
  });

  test('with its parts and its identity', () => {
    const server = 'Microsoft.Sql/servers';
    const id = `/subscriptions/s/resourceGroups/r/providers/${server}/a`;
    const document = planOf({
      'azapi_resource.a': { id, type: `${server}@2021-11-01`, name: 'a', body: {} },
      'azapi_resource.b': {
        type: `${server}/firewallRules@2021-11-01`,
        name: 'b',
        parent_id: id,
        body: { properties: { startIpAddress: '0.0.0.0', endIpAddress: '255.255.255.255' } },
      },
    });
    expect(readOne(document, 'Azure::Sql::servers')).toMatchObject({
      network: { allowed_cidrs: ['0.0.0.0/0'] },
    });
    const site = planned('azapi_resource', {
      type: 'Microsoft.Web/sites@2022-09-01',
      name: 'a',
      identity: [{ type: 'SystemAssigned' }],
      body: { properties: { httpsOnly: true } },
    });
    expect(readOne(site, 'Azure::Web::sites')).toMatchObject({
      identity: { enabled: true },
      tls: { required: true },
    });
  });
});

test.each([
  ['no JSON', 'azapi_resource', '{"properties": '],
  ['a list', 'azapi_resource', []],
  ['an update of what is elsewhere', 'azapi_update_resource', { properties: {} }],
])('of a document that is %s nothing is known, and nothing passes', (_, type, body) => {
  const read = readOne(planned(type, { type: `${account}@2023-01-01`, name: 'a', body }), accounts);
  expect(read['public_access']).toEqual(expect.any(UnknownValue));
  const verdicts = Object.entries(verdictsOf(read));
  const passed = verdicts.filter(([, verdict]) => verdict === 'PASS').map(([name]) => name);
  // These are told by their type.
  expect(passed.sort()).toEqual([
    'azure-containers-no-secrets-in-environment',
    'azure-database-firewall-rule-no-other-customers',
    'azure-database-firewall-rule-not-open',
    'azure-database-single-server-no-public-access',
    'azure-database-tls',
    'azure-no-plaintext-secrets',
  ]);
});

test("properties that only the deployment gives are unknown, not Azure's defaults", () => {
  const parameters = { p: { type: 'object' } };
  const read = readOne(
    {
      $schema,
      parameters,
      resources: [
        { type: account, apiVersion: '2023-01-01', name: 'a', properties: "[parameters('p')]" },
      ],
    },
    accounts,
  );
  expect(read['anonymous_access']).toEqual(expect.any(UnknownValue));
  expect(read['properties']).toEqual({});
});

test('properties that a variable gives are read', () => {
  const read = readOne(
    {
      $schema,
      variables: { p: { allowBlobPublicAccess: true } },
      resources: [
        { type: account, apiVersion: '2023-01-01', name: 'a', properties: "[variables('p')]" },
      ],
    },
    accounts,
  );
  expect(read['anonymous_access']).toBe(true);
});
