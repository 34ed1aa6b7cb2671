import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import { verdictsOf } from '../../../support/policy-library.ts';
import { planOf, readOne } from '../provider-twins.ts';
import type { Fields } from '../provider-twins.ts';

const schema = 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#';

const unknown = expect.any(UnknownValue) as unknown;

const storage = 'Microsoft.Storage/storageAccounts';
const vault = 'Microsoft.KeyVault/vaults';

/** A resource of a template, and those beside it. */
function deployed(
  type: string,
  { parameters, ...resource }: Fields,
  ...beside: readonly Fields[]
): Fields {
  const document = {
    $schema: schema,
    parameters: parameters ?? {},
    resources: [{ type, name: 'a', ...resource }, ...beside],
  };
  return readOne(document, type.replace(/^Microsoft\.(\w+)\//, 'Azure::$1::'));
}

const idOf = (type: string, name: string): string =>
  `/subscriptions/s/resourceGroups/r/providers/${type}/${name}`;

/** A resource of a list, and those beside it. */
const listed = (type: string, properties: Fields, ...beside: readonly Fields[]): Fields =>
  readOne(
    {
      value: [
        {
          id: idOf(type, 'a'),
          type,
          name: 'a',
          properties: { provisioningState: 'Succeeded', ...properties },
        },
        ...beside,
      ],
    },
    type.replace(/^Microsoft\.(\w+)\//, 'Azure::$1::'),
  );

const planned = (type: string, of: string, after: Fields): Fields =>
  readOne(planOf({ [`${of}.a`]: { name: 'a', ...after } }), type);

const account = (resource: Fields): Fields => {
  const { tls, anonymous_access } = deployed(storage, resource);
  return { ...(tls as Fields), anonymous_access };
};

describe('an empty storage account is what Azure makes of it', () => {
  test.each([
    ['2014-01-01', { required: false, minimum_version: '1.0', anonymous_access: true }],
    ['2018-07-01', { required: false, minimum_version: '1.0', anonymous_access: true }],
    ['2019-04-01-preview', { required: true, minimum_version: '1.0', anonymous_access: true }],
    ['2019-04-01', { required: true, minimum_version: '1.0', anonymous_access: true }],
    ['2022-09-01', { required: true, minimum_version: '1.0', anonymous_access: true }],
    ['2023-01-01', { required: true, minimum_version: '1.0', anonymous_access: false }],
    ['2099-01-01', { required: true, minimum_version: '1.0', anonymous_access: false }],
  ])('with API version %s', (apiVersion, values) => {
    expect(account({ apiVersion })).toEqual(values);
    expect(account({ apiVersion: "[parameters('v')]", parameters: versionOf(apiVersion) })).toEqual(
      values,
    );
  });

  test.each([
    ['that is missing', {}],
    ['that is a word', { apiVersion: 'latest' }],
    ['that is no date', { apiVersion: '2019-14-01' }],
    ['that is a number', { apiVersion: 2019 }],
    [
      'that only the deployment gives',
      { apiVersion: "[parameters('v')]", parameters: versionOf() },
    ],
  ])('and with an API version %s nobody knows', (_, resource) => {
    expect(account(resource)).toEqual({
      required: unknown,
      minimum_version: '1.0',
      anonymous_access: unknown,
    });
  });

  test('in a list, where it allows anonymous readers until somebody says no', () => {
    expect(listed(storage, {})).toMatchObject({
      tls: { required: unknown, minimum_version: '1.0' },
      anonymous_access: true,
    });
  });

  test('in a plan of a provider that does not know the settings yet', () => {
    const made = planned('Azure::Storage::storageAccounts', 'azurerm_storage_account', {});
    expect(made).toMatchObject({
      tls: { required: true, minimum_version: '1.0' },
      anonymous_access: true,
    });
  });
});

function versionOf(defaultValue?: string): Fields {
  return { v: { type: 'string', ...(defaultValue === undefined ? {} : { defaultValue }) } };
}

test('a setting counts for nothing in an API version that does not know it', () => {
  const properties = { minimumTlsVersion: 'TLS1_2', allowBlobPublicAccess: false };
  expect(account({ apiVersion: '2018-11-01', properties })).toMatchObject({
    minimum_version: '1.0',
    anonymous_access: true,
  });
  expect(account({ apiVersion: '2019-06-01', properties })).toMatchObject({
    minimum_version: '1.2',
    anonymous_access: false,
  });
});

test.each([
  [storage, 'publicNetworkAccess', 'Disabled', 'public_access', '2021-04-01', true, false],
  [vault, 'publicNetworkAccess', 'Disabled', 'public_access', '2019-09-01', true, false],
  [
    vault,
    'enableRbacAuthorization',
    true,
    'rbac',
    '2018-02-14',
    { enabled: false },
    { enabled: true },
  ],
])(
  '%s takes %s from its own API version on',
  (type, name, value, attribute, old, before, after) => {
    const made = (apiVersion: string): unknown =>
      deployed(type, { apiVersion, properties: { [name]: value } })[attribute];
    expect(made(old)).toEqual(before);
    expect(made('2021-06-01-preview')).toEqual(after);
    expect(made('2025-01-01')).toEqual(after);
    expect(listed(type, { [name]: value })[attribute]).toEqual(after);
  },
);

test('a later API version never makes an empty account less safe, whatever its day', () => {
  const day = fc.date({
    min: new Date('2014-01-01'),
    max: new Date('2040-01-01'),
    noInvalidDate: true,
  });
  const isSafe = (apiVersion: string): number => {
    const { required, anonymous_access } = account({ apiVersion });
    return Number(required) - Number(anonymous_access);
  };
  fc.assert(
    fc.property(day, day, (a, b) => {
      const [earlier = '', later = ''] = [a, b].map((one) => one.toISOString().slice(0, 10)).sort();
      expect(isSafe(earlier)).toBeLessThanOrEqual(isSafe(later));
    }),
  );
});

test('a vault without a word on it uses roles since API version 2026-02-01, keeps what is deleted, and is not safe from purging', () => {
  const made = (apiVersion: string): Fields => deployed(vault, { apiVersion });
  expect(made('2023-07-01')).toMatchObject({
    rbac: { enabled: false },
    soft_delete: { enabled: true },
    purge_protection: false,
  });
  expect(made('2026-02-01')).toMatchObject({ rbac: { enabled: true } });
  expect(deployed(vault, {})).toMatchObject({ rbac: { enabled: unknown } });
  expect(listed(vault, {})).toMatchObject({ rbac: { enabled: false } });
});

describe('the lowest version of TLS', () => {
  test.each([
    ['1.2', '1.2'],
    ['TLS1_2', '1.2'],
    ['TLS12', '1.2'],
    ['None', '1.0'],
    ['Disabled', '1.0'],
    ['TLSEnforcementDisabled', '1.0'],
    ['TLS9', unknown],
    ['latest', unknown],
    [undefined, '1.2'],
    [null, '1.2'],
    ['', '1.2'],
  ])('of a SQL server with %j', (minimalTlsVersion, version) => {
    const made = deployed('Microsoft.Sql/servers', { properties: { minimalTlsVersion } });
    expect(made).toMatchObject({ tls: { minimum_version: version } });
    const after = { minimum_tls_version: minimalTlsVersion };
    expect(planned('Azure::Sql::servers', 'azurerm_mssql_server', after)).toMatchObject({
      tls: { minimum_version: version },
    });
  });
});

describe('public network access', () => {
  test.each([
    ['Enabled', true],
    ['enabled', true],
    ['Disabled', false],
    ['DISABLED', false],
    ['SecuredByPerimeter', unknown],
    ['Sideways', unknown],
    [undefined, true],
    ['', true],
  ])('of %j', (publicNetworkAccess, value) => {
    for (const type of [storage, vault, 'Microsoft.Sql/servers']) {
      const made = deployed(type, {
        apiVersion: '2023-01-01',
        properties: { publicNetworkAccess },
      });
      expect(made['public_access']).toEqual(value);
    }
  });

  test.each([
    ['AllowAll', true],
    ['allowprivate', false],
    ['DenyAll', false],
    ['Sometimes', unknown],
    [undefined, true],
  ])('of a disk with the policy %j', (networkAccessPolicy, value) => {
    const made = deployed('Microsoft.Compute/disks', { properties: { networkAccessPolicy } });
    expect(made['public_access']).toEqual(value);
  });
});

describe('what a list of resources leaves out is not known:', () => {
  const server = 'Microsoft.Sql/servers';
  const part = (type: string, name: string, properties: Fields): Fields => ({
    id: `${idOf(server, 'a')}/${type}/${name}`,
    type: `${server}/${type}`,
    name,
    properties,
  });

  test('the firewall and the audit of a server, unless the list has some', () => {
    expect(listed(server, {})).toMatchObject({
      network: { allowed_cidrs: unknown },
      logging: { enabled: unknown },
    });
    const open = part('firewallRules', 'all', {
      startIpAddress: '0.0.0.0',
      endIpAddress: '255.255.255.255',
    });
    expect(listed(server, {}, open)).toMatchObject({ network: { allowed_cidrs: ['0.0.0.0/0'] } });
    const audit = part('auditingSettings', 'default', { state: 'Enabled', retentionDays: 90 });
    expect(listed(server, {}, audit)).toMatchObject({
      logging: { enabled: true, retention_days: 90 },
    });
    const ofAnother = { ...open, id: `${idOf(server, 'b')}/firewallRules/all` };
    expect(listed(server, {}, ofAnother)).toMatchObject({ network: { allowed_cidrs: [] } });
  });

  test('a template has what it deploys', () => {
    expect(deployed(server, {})).toMatchObject({
      network: { allowed_cidrs: [] },
      logging: { enabled: false },
    });
  });

  test('the encryption of a database', () => {
    const database = 'Microsoft.Sql/servers/databases';
    expect(listed(database, {})).toMatchObject({ encryption: { enabled: unknown } });
    expect(deployed(database, { name: 'a/b' })).toMatchObject({ encryption: { enabled: true } });
  });

  test('the configuration of a site', () => {
    const site = 'Microsoft.Web/sites';
    const values = { tls: { minimum_version: unknown }, ftp_state: unknown };
    expect(listed(site, { httpsOnly: true })).toMatchObject(values);
    expect(listed(site, { siteConfig: { minTlsVersion: null } })).toMatchObject(values);
    const config = {
      id: `${idOf(site, 'a')}/config/web`,
      type: `${site}/config`,
      name: 'web',
      properties: { minTlsVersion: '1.2', ftpsState: 'FtpsOnly' },
    };
    expect(listed(site, {}, config)).toMatchObject({
      tls: { minimum_version: '1.2' },
      ftp_state: 'FtpsOnly',
    });
  });

  test('the addresses of a machine whose network interface is elsewhere', () => {
    const machine = 'Microsoft.Compute/virtualMachines';
    const nic = idOf('Microsoft.Network/networkInterfaces', 'n');
    const networkProfile = { networkInterfaces: [{ id: nic }] };
    expect(listed(machine, { networkProfile })['public_access']).toEqual(unknown);
    const card = { id: nic, type: 'Microsoft.Network/networkInterfaces', name: 'n' };
    const shut = { ...card, properties: { ipConfigurations: [{ properties: {} }] } };
    expect(listed(machine, { networkProfile }, shut)['public_access']).toBe(false);
  });
});

describe('a Linux machine takes passwords', () => {
  const machine = 'Microsoft.Compute/virtualMachines';
  const linux = 'Azure::Compute::virtualMachines';
  const os = { storageProfile: { osDisk: { osType: 'Linux' } } };

  test('in a template until it says no; where its disk was prepared, nobody knows', () => {
    const made = (properties: Fields): unknown =>
      deployed(machine, { properties: { ...os, ...properties } })['password_auth'];
    expect(made({ osProfile: {} })).toBe(true);
    expect(
      made({ osProfile: { linuxConfiguration: { disablePasswordAuthentication: true } } }),
    ).toBe(false);
    expect(made({})).toEqual(unknown);
  });

  test('in a plan of the older type only', () => {
    expect(planned(linux, 'azurerm_linux_virtual_machine', {})['password_auth']).toBe(false);
    const older = { os_profile_linux_config: [{}] };
    expect(planned(linux, 'azurerm_virtual_machine', older)['password_auth']).toBe(true);
  });
});

test('plain FTP is on in a template and in older types of Terraform, off in its newer ones', () => {
  expect(deployed('Microsoft.Web/sites', {})['ftp_state']).toBe('AllAllowed');
  const ftp = (type: string): unknown =>
    planned('Azure::Web::sites', type, { site_config: [{}] })['ftp_state'];
  expect(ftp('azurerm_app_service')).toBe('AllAllowed');
  expect(ftp('azurerm_linux_web_app')).toBe('Disabled');
  expect(ftp('azurerm_function_app_flex_consumption')).toBe('Disabled'); // has no FTP
  expect(ftp('azurerm_windows_function_app')).toBe('Disabled');
});

test('a word for FTP that nobody has seen is no pass', () => {
  const properties = { httpsOnly: true, siteConfig: { ftpsState: 'Whatever' } };
  const site = readOne(
    { $schema: schema, resources: [{ type: 'Microsoft.Web/sites', name: 'a', properties }] },
    'Azure::Web::sites',
  );
  expect(verdictsOf(site)['azure-app-service-no-plain-ftp']).toBe('ERROR 0');
});

test('a free workspace keeps its logs for 7 days, others for 30', () => {
  const made = (sku: Fields): unknown =>
    deployed('Microsoft.OperationalInsights/workspaces', { properties: { sku } })['retention_days'];
  expect(made({ name: 'free' })).toBe(7);
  expect(made({ name: 'PerGB2018' })).toBe(30);
  expect(made({})).toBe(30);
});

test('whether Kubernetes RBAC is on without a word on it, Azure does not document', () => {
  const made = deployed('Microsoft.ContainerService/managedClusters', {});
  expect(made).toMatchObject({ rbac: { enabled: unknown } });
});

describe('the firewall of a gateway', () => {
  const gateway = 'Microsoft.Network/applicationGateways';
  const policyType = 'Microsoft.Network/ApplicationGatewayWebApplicationFirewallPolicies';
  const made = (id: string, ...beside: Fields[]): unknown =>
    deployed(
      gateway,
      { properties: { sku: { tier: 'WAF_v2' }, firewallPolicy: { id } } },
      ...beside,
    )['waf'];
  const policy = (policySettings: Fields): Fields => ({
    type: policyType,
    name: 'p',
    properties: { policySettings },
  });

  test('is not known where its policy is elsewhere', () => {
    expect(made(idOf(policyType, 'p'))).toEqual({ enabled: unknown, mode: unknown });
  });

  test.each([
    [{}, { enabled: true, mode: 'detection' }],
    [
      { state: 'Enabled', mode: 'Prevention' },
      { enabled: true, mode: 'prevention' },
    ],
    [{ state: 'Disabled' }, { enabled: false, mode: 'detection' }],
    [{ state: 'Asleep' }, { enabled: false, mode: 'detection' }],
  ])('is as its policy says: %j', (settings, values) => {
    expect(made(`[resourceId('${policyType}', 'p')]`, policy(settings))).toEqual(values);
  });
});

describe('a security rule with a word that nobody has seen is not lost:', () => {
  const rule = {
    access: 'Allow',
    direction: 'Inbound',
    protocol: 'Tcp',
    sourceAddressPrefix: '*',
    destinationPortRange: '22',
  };
  const made = (changed: Fields): Fields =>
    deployed('Microsoft.Network/networkSecurityGroups', {
      properties: { securityRules: [{ name: 'r', properties: { ...rule, ...changed } }] },
    });
  const policy = 'azure-nsg-no-public-ssh-rdp';
  const verdict = (changed: Fields): unknown =>
    verdictsOf(
      readOne(
        {
          $schema: schema,
          resources: [
            {
              type: 'Microsoft.Network/networkSecurityGroups',
              name: 'a',
              properties: { securityRules: [{ properties: { ...rule, ...changed } }] },
            },
          ],
        },
        'Azure::Network::networkSecurityGroups',
      ),
    )[policy];

  test('of another direction it is not known in either what it does', () => {
    expect(made({ direction: 'Sideways' })).toMatchObject({
      ingress: [{ access: unknown, from_port: 22 }],
      egress: [{ access: unknown, from_port: 22 }],
    });
    expect(verdict({ direction: 'Sideways' })).toMatch(/^ERROR/);
  });

  test('of another access it is not known what it does', () => {
    expect(made({ access: 'Perhaps' })).toMatchObject({ ingress: [{ access: unknown }] });
    expect(verdict({ access: 'Perhaps' })).toMatch(/^ERROR/);
  });

  test('without ports it is about all of them', () => {
    expect(made({ destinationPortRange: undefined })).toMatchObject({
      ingress: [{ from_port: 0, to_port: 65_535 }],
    });
    expect(verdict({ destinationPortRange: undefined })).toMatch(/^FAIL/);
  });
});

describe('an account inside of a deployment, a loop or a condition', () => {
  const old = { type: storage, apiVersion: '2018-07-01', name: 'a' };
  const deployment = (properties: Fields): Fields => ({
    type: 'Microsoft.Resources/deployments',
    apiVersion: '2022-09-01',
    name: 'd',
    properties,
  });
  const inner = (resource: Fields): Fields => ({ template: { resources: [resource] } });
  const forms: readonly (readonly [form: string, template: Fields])[] = [
    ['a deployment', { resources: [deployment(inner(old))] }],
    [
      'a deployment of its own scope, that is given the version',
      {
        resources: [
          deployment({
            expressionEvaluationOptions: { scope: 'inner' },
            parameters: { v: { value: '2018-07-01' } },
            template: {
              parameters: { v: { type: 'string', defaultValue: '2023-01-01' } },
              resources: [{ ...old, apiVersion: "[parameters('v')]" }],
            },
          }),
        ],
      },
    ],
    ['deployments in each other', { resources: [deployment(inner(deployment(inner(old))))] }],
    [
      'a condition that only the deployment decides',
      {
        parameters: { on: { type: 'bool' } },
        resources: [{ ...old, condition: "[parameters('on')]" }],
      },
    ],
    ['a loop', { resources: [{ ...old, copy: { name: 'c', count: 2 } }] }],
    [
      'a loop of unknown length',
      {
        parameters: { n: { type: 'int' } },
        resources: [{ ...old, copy: { name: 'c', count: "[parameters('n')]" } }],
      },
    ],
    ['a map of symbolic names', { languageVersion: '2.0', resources: { a: old } }],
  ];

  test.each(forms)('has the values of its own API version: %s', (_, template) => {
    const read = readOne({ $schema: schema, ...template }, 'Azure::Storage::storageAccounts');
    expect(read).toMatchObject({
      tls: { required: false, minimum_version: '1.0' },
      anonymous_access: true,
      source: { api_version: '2018-07-01' },
    });
    expect(verdictsOf(read)['azure-storage-account-secure-transfer']).toMatch(/^FAIL/);
  });
});

test.each([
  ['Canonical', 'linux'],
  ['OpenLogic', 'linux'],
  ['MicrosoftWindowsServer', 'windows'],
  ['acme', unknown],
  [undefined, unknown],
])('a machine without osType has the operating system of its image: %s, %s', (publisher, os) => {
  const image = { storageProfile: { imageReference: { publisher, offer: 'o', sku: 's' } } };
  const machine = 'Microsoft.Compute/virtualMachines';
  expect(deployed(machine, { properties: image })).toMatchObject({ os });
  const plan = { storage_image_reference: [{ publisher, offer: 'o', sku: 's' }] };
  expect(planned('Azure::Compute::virtualMachines', 'azurerm_virtual_machine', plan)).toMatchObject({ os }); // prettier-ignore
});
