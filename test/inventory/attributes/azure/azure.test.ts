import { describe, expect, test } from 'vitest';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import { verdictsOf } from '../../../support/policy-library.ts';
import { attributesOf, planOf, readOne } from '../provider-twins.ts';
import type { Fields } from '../provider-twins.ts';

const schema = 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#';

const id = (type: string, name: string): string =>
  `/subscriptions/s/resourceGroups/r/providers/${type}/${name}`;

const twins: readonly [name: string, type: string, arm: readonly Fields[], plan: Fields][] = [
  [
    'a diagnostic setting',
    'Insights::diagnosticSettings',
    [
      {
        type: 'Microsoft.Insights/diagnosticSettings',
        name: 'a',
        properties: {
          logs: [
            { category: 'Administrative', enabled: true },
            { category: 'Security', enabled: false },
            { categoryGroup: 'audit', enabled: true },
          ],
        },
      },
    ],
    {
      'azurerm_monitor_diagnostic_setting.a': {
        name: 'a',
        enabled_log: [{ category: 'Administrative' }, { category_group: 'audit' }],
      },
    },
  ],
  [
    "a diagnostic setting of an older version of Terraform's provider",
    'Insights::diagnosticSettings',
    [
      {
        type: 'Microsoft.Insights/diagnosticSettings',
        name: 'a',
        properties: {
          logs: [
            { category: 'Administrative', enabled: true },
            { category: 'Security', enabled: false },
          ],
        },
      },
    ],
    {
      'azurerm_monitor_diagnostic_setting.a': {
        name: 'a',
        log: [{ category: 'Administrative' }, { category: 'Security', enabled: false }],
      },
    },
  ],
  [
    'an alert on the activity log',
    'Insights::activityLogAlerts',
    [
      {
        type: 'Microsoft.Insights/activityLogAlerts',
        name: 'a',
        properties: {
          scopes: ['/subscriptions/s'],
          condition: {
            allOf: [
              { field: 'category', equals: 'Administrative' },
              { field: 'operationName', equals: 'Microsoft.Sql/servers/firewallRules/write' },
            ],
          },
        },
      },
    ],
    {
      'azurerm_monitor_activity_log_alert.a': {
        name: 'a',
        scopes: ['/subscriptions/s'],
        criteria: [
          {
            category: 'Administrative',
            operation_name: 'Microsoft.Sql/servers/firewallRules/write',
          },
        ],
      },
    },
  ],
  [
    'a log profile',
    'Insights::logProfiles',
    [
      {
        type: 'Microsoft.Insights/logprofiles',
        name: 'a',
        properties: {
          categories: ['Write', 'Delete', 'Action'],
          locations: ['global', 'westeurope'],
          retentionPolicy: { enabled: true, days: 365 },
        },
      },
    ],
    {
      'azurerm_monitor_log_profile.a': {
        name: 'a',
        categories: ['Write', 'Delete', 'Action'],
        locations: ['global', 'westeurope'],
        retention_policy: [{ enabled: true, days: 365 }],
      },
    },
  ],
  [
    'a storage account that is shut',
    'Storage::storageAccounts',
    [
      {
        type: 'Microsoft.Storage/storageAccounts',
        name: 'a',
        properties: {
          supportsHttpsTrafficOnly: true,
          minimumTlsVersion: 'TLS1_2',
          allowBlobPublicAccess: false,
          allowSharedKeyAccess: false,
          publicNetworkAccess: 'Disabled',
          networkAcls: { defaultAction: 'Deny', ipRules: [{ value: '8.8.8.8' }] },
        },
      },
    ],
    {
      'azurerm_storage_account.a': {
        name: 'a',
        https_traffic_only_enabled: true,
        min_tls_version: 'TLS1_2',
        allow_nested_items_to_be_public: false,
        shared_access_key_enabled: false,
        public_network_access_enabled: false,
        network_rules: [{ default_action: 'Deny', ip_rules: ['8.8.8.8'] }],
      },
    },
  ],
  [
    'a storage account that is open',
    'Storage::storageAccounts',
    [
      {
        type: 'Microsoft.Storage/storageAccounts',
        name: 'a',
        properties: {
          supportsHttpsTrafficOnly: false,
          minimumTlsVersion: 'TLS1_0',
          allowBlobPublicAccess: true,
        },
      },
    ],
    {
      'azurerm_storage_account.a': {
        name: 'a',
        https_traffic_only_enabled: false,
        min_tls_version: 'TLS1_0',
        allow_nested_items_to_be_public: true,
      },
    },
  ],
  [
    'the blobs of an account',
    'Storage::storageAccounts/blobServices',
    [
      {
        type: 'Microsoft.Storage/storageAccounts/blobServices',
        name: 'a/default',
        properties: {
          deleteRetentionPolicy: { enabled: true, days: 14 },
          isVersioningEnabled: true,
        },
      },
    ],
    {
      'azurerm_storage_account.a': {
        name: 'a',
        blob_properties: [{ delete_retention_policy: [{ days: 14 }], versioning_enabled: true }],
      },
    },
  ],
  [
    'a database server',
    'Sql::servers',
    [
      {
        type: 'Microsoft.Sql/servers',
        name: 'a',
        properties: {
          minimalTlsVersion: '1.2',
          publicNetworkAccess: 'Enabled',
          administrators: { azureADOnlyAuthentication: true },
        },
      },
      {
        type: 'Microsoft.Sql/servers/firewallRules',
        name: 'a/all',
        properties: { startIpAddress: '10.0.0.0', endIpAddress: '10.0.0.255' },
      },
      {
        type: 'Microsoft.Sql/servers/auditingSettings',
        name: 'a/default',
        properties: { state: 'Enabled', retentionDays: 90 },
      },
    ],
    {
      'azurerm_mssql_server.a': {
        id: id('Microsoft.Sql/servers', 'a'),
        name: 'a',
        minimum_tls_version: '1.2',
        public_network_access_enabled: true,
        azuread_administrator: [{ azuread_authentication_only: true }],
      },
      'azurerm_mssql_firewall_rule.all': {
        server_id: id('Microsoft.Sql/servers', 'a'),
        start_ip_address: '10.0.0.0',
        end_ip_address: '10.0.0.255',
      },
      'azurerm_mssql_server_extended_auditing_policy.a': {
        server_id: id('Microsoft.Sql/servers', 'a'),
        enabled: true,
        retention_in_days: 90,
      },
    },
  ],
  [
    'a key vault',
    'KeyVault::vaults',
    [
      {
        type: 'Microsoft.KeyVault/vaults',
        name: 'a',
        properties: {
          enablePurgeProtection: true,
          softDeleteRetentionInDays: 30,
          enableRbacAuthorization: true,
          publicNetworkAccess: 'Disabled',
          networkAcls: { defaultAction: 'Deny', ipRules: [] },
        },
      },
    ],
    {
      'azurerm_key_vault.a': {
        name: 'a',
        purge_protection_enabled: true,
        soft_delete_retention_days: 30,
        rbac_authorization_enabled: true,
        public_network_access_enabled: false,
        network_acls: [{ default_action: 'Deny', ip_rules: [] }],
      },
    },
  ],
  [
    'a network security group',
    'Network::networkSecurityGroups',
    [
      {
        type: 'Microsoft.Network/networkSecurityGroups',
        name: 'a',
        properties: {
          securityRules: [
            {
              name: 'ssh',
              properties: {
                access: 'Allow',
                direction: 'Inbound',
                priority: 100,
                protocol: 'Tcp',
                sourceAddressPrefix: '*',
                sourcePortRange: '*',
                destinationAddressPrefix: '*',
                destinationPortRange: '22',
              },
            },
          ],
        },
      },
    ],
    {
      'azurerm_network_security_group.a': {
        name: 'a',
        security_rule: [
          {
            name: 'ssh',
            access: 'Allow',
            direction: 'Inbound',
            priority: 100,
            protocol: 'Tcp',
            source_address_prefix: '*',
            source_port_range: '*',
            destination_address_prefix: '*',
            destination_port_range: '22',
          },
        ],
      },
    },
  ],
  [
    'a managed disk',
    'Compute::disks',
    [
      {
        type: 'Microsoft.Compute/disks',
        name: 'a',
        properties: { networkAccessPolicy: 'DenyAll', publicNetworkAccess: 'Disabled' },
      },
    ],
    {
      'azurerm_managed_disk.a': {
        name: 'a',
        network_access_policy: 'DenyAll',
        public_network_access_enabled: false,
      },
    },
  ],
  [
    'a cluster',
    'ContainerService::managedClusters',
    [
      {
        type: 'Microsoft.ContainerService/managedClusters',
        name: 'a',
        properties: {
          enableRBAC: true,
          disableLocalAccounts: true,
          apiServerAccessProfile: {
            enablePrivateCluster: false,
            authorizedIPRanges: ['10.0.0.0/8'],
          },
          networkProfile: { networkPolicy: 'calico' },
        },
      },
    ],
    {
      'azurerm_kubernetes_cluster.a': {
        name: 'a',
        role_based_access_control_enabled: true,
        local_account_disabled: true,
        private_cluster_enabled: false,
        api_server_access_profile: [{ authorized_ip_ranges: ['10.0.0.0/8'] }],
        network_profile: [{ network_policy: 'calico' }],
      },
    },
  ],
  [
    'a registry',
    'ContainerRegistry::registries',
    [
      {
        type: 'Microsoft.ContainerRegistry/registries',
        name: 'a',
        sku: { name: 'Premium' },
        properties: {
          adminUserEnabled: true,
          anonymousPullEnabled: true,
          publicNetworkAccess: 'Enabled',
        },
      },
    ],
    {
      'azurerm_container_registry.a': {
        name: 'a',
        sku: 'Premium',
        admin_enabled: true,
        anonymous_pull_enabled: true,
        public_network_access_enabled: true,
      },
    },
  ],
  [
    'a web app',
    'Web::sites',
    [
      {
        type: 'Microsoft.Web/sites',
        name: 'a',
        identity: { type: 'SystemAssigned' },
        properties: {
          httpsOnly: true,
          siteConfig: { minTlsVersion: '1.2', ftpsState: 'Disabled', remoteDebuggingEnabled: true },
        },
      },
    ],
    {
      'azurerm_linux_web_app.a': {
        name: 'a',
        https_only: true,
        identity: [{ type: 'SystemAssigned' }],
        site_config: [
          { minimum_tls_version: '1.2', ftps_state: 'Disabled', remote_debugging_enabled: true },
        ],
      },
    },
  ],
];

describe('a template and a plan of Azure give the same attributes and verdicts:', () => {
  test.each(twins)('%s', (_, type, resources, plan) => {
    const fromTemplate = readOne({ $schema: schema, resources }, `Azure::${type}`);
    const fromPlan = readOne(planOf(plan), `Azure::${type}`);
    expect(attributesOf(fromPlan)).toEqual(attributesOf(fromTemplate));
    const verdicts = verdictsOf(fromTemplate);
    expect(Object.keys(verdicts).length).toBeGreaterThan(0);
    expect(verdictsOf(fromPlan)).toEqual(verdicts);
    expect(Object.values(verdicts).filter((one) => String(one).startsWith('ERROR'))).toEqual([]);
  });
});

test.each([
  ['one of one', [{ anyOf: [{ field: 'category', equals: 'Policy' }] }], 'policy'],
  ['contained', [{ field: 'category', containsAny: ['Policy'] }], 'policy'],
  [
    'one of two',
    [{ anyOf: ['Policy', 'Security'].map((equals) => ({ field: 'category', equals })) }],
    undefined,
  ],
  ['contained in two', [{ field: 'category', containsAny: ['Policy', 'Security'] }], undefined],
  [
    'this or another field',
    [
      {
        anyOf: [
          { field: 'category', equals: 'Policy' },
          { field: 'level', equals: 'Error' },
        ],
      },
    ],
    undefined,
  ],
])('what an alert on the activity log asks for: %s', (_form, allOf, category) => {
  const properties = { scopes: ['/subscriptions/s'], condition: { allOf } };
  const alert = readOne(
    {
      resources: [{ type: 'Microsoft.Insights/activityLogAlerts', name: 'a', properties }],
      $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
    },
    'Azure::Insights::activityLogAlerts',
  );
  expect(alert['category']).toEqual(category ?? expect.any(UnknownValue));
});

describe('what a role is assigned on, by a deployment inside a template', () => {
  const schemaOf = (level: string) =>
    `https://schema.management.azure.com/schemas/2019-08-01/${level}eploymentTemplate.json#`;
  const owner = {
    type: 'Microsoft.Authorization/roleAssignments',
    name: 'x',
    properties: {
      roleDefinitionId:
        '/providers/Microsoft.Authorization/roleDefinitions/8e3af657-a8ff-443c-a75c-2fe8c4bcb635',
      principalId: 'p',
      principalType: 'User',
    },
  };
  const deployment = (target: Fields, resource: Fields = owner) => ({
    type: 'Microsoft.Resources/deployments',
    name: 'd',
    ...target,
    properties: {
      expressionEvaluationOptions: { scope: 'inner' },
      template: { $schema: schemaOf('d'), resources: [resource] },
    },
  });
  const unknown = expect.any(UnknownValue) as unknown;
  const group = { resourceGroup: 'g' };

  test.each<[string, string, Fields, unknown]>([
    ['the same group', 'd', deployment({}), 'resource_group'],
    ['the same subscription', 'subscriptionD', deployment({ location: 'w' }), 'subscription'],
    ['a subscription', 'd', deployment({ subscriptionId: 's', location: 'w' }), 'subscription'],
    [
      'its own subscription',
      'd',
      deployment({ subscriptionId: '[subscription().subscriptionId]' }),
      'subscription',
    ],
    ['any subscription', 'd', deployment({ SubscriptionID: "[parameters('s')]" }), 'subscription'],
    ['a group', 'subscriptionD', deployment(group), 'resource_group'],
    [
      'any group of a subscription',
      'managementGroupD',
      deployment({ subscriptionId: 's', resourceGroup: "[parameters('s')]" }),
      'resource_group',
    ],
    [
      'a group, if at all',
      'subscriptionD',
      deployment({ resourceGroup: "[parameters('n')]" }),
      unknown,
    ],
    ['no group', 'subscriptionD', deployment({ resourceGroup: '[null()]' }), 'subscription'],
    [
      'a management group',
      'subscriptionD',
      deployment({
        scope: "[format('Microsoft.Management/managementGroups/{0}', parameters('s'))]",
      }),
      'management_group',
    ],
    [
      'a management group by its ID',
      'd',
      deployment({
        scope: "[tenantResourceId('Microsoft.Management/managementGroups', parameters('s'))]",
      }),
      'management_group',
    ],
    ['the tenant', 'd', deployment({ scope: '/' }), 'root'],
    ['any scope', 'd', deployment({ scope: "[parameters('s')]" }), unknown],
    ['a group of a copy', 'subscriptionD', { ...deployment({ resourceGroup: "[concat('g', copyIndex())]" }), copy: { name: 'c', count: 2 } }, 'resource_group'], // prettier-ignore
    [
      'a group, in a subscription',
      'managementGroupD',
      deployment({ subscriptionId: 's' }, deployment(group)),
      'resource_group',
    ],
    [
      'a subscription, in a group',
      'subscriptionD',
      deployment(group, deployment({ subscriptionId: 's' })),
      'subscription',
    ],
    ['the same, in a group', 'subscriptionD', deployment(group, deployment({})), 'resource_group'],
    ['the tenant, by the resource itself', 'd', { ...owner, scope: '/' }, 'root'],
    [
      'a management group, by the type',
      'tenantD',
      {
        ...owner,
        type: 'Microsoft.Management/managementGroups/providers/roleAssignments',
        name: 'g/Microsoft.Authorization/x',
      },
      'management_group',
    ],
  ])('%s', (_target, level, resource, expected) => {
    const template = {
      $schema: schemaOf(level),
      parameters: { s: { type: 'string' }, n: { type: 'string', nullable: true } },
      resources: [resource],
    };
    const found = readOne(template, 'Azure::Authorization::roleAssignments');
    expect(found['scope_level']).toEqual(expected);
  });
});

test.each<[string, unknown, unknown, readonly string[]]>([
  ['all', '::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', ['::/0']],
  ['one', '2001:DB8::1', undefined, ['2001:db8::1/128']],
  ['a block', '2001:db8:1::', '2001:db8:0001:ffff:ffff:ffff:ffff:ffff', ['2001:db8:1::/48']],
  ['several blocks', '::1', '::4', ['::1/128', '::2/127', '::4/128']],
  ['an IPv4 address in IPv6', '::ffff:1.2.3.4', '::ffff:1.2.3.4', ['::ffff:102:304/128']],
  ['no range', '::2', '::1', []],
  ['of two kinds', '::', '255.255.255.255', []],
  ['no address', '::]/@[::', 'x', []],
])('an IPv6 range of a firewall rule: %s', (_range, first, last, expected) => {
  const properties = { startIPv6Address: first, endIPv6Address: last };
  const type = 'Microsoft.Sql/servers/ipv6FirewallRules';
  const rule = readOne(
    { $schema: schema, resources: [{ type, name: 's/r', properties }] },
    'Azure::Sql::servers/ipv6FirewallRules',
  );
  expect(rule['network']).toEqual({ allowed_cidrs: expected });
});
