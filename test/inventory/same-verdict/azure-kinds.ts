// What a resource of Azure can be set to, in a template, in Terraform and in a list of resources. `absent` is what Azure
// does where nothing is set.
import { Reference } from '../attributes/aws/twins.ts';
import { azureId, listed, resourceGroup } from './clouds.ts';
import type { Fields, Kind, Setting, Value } from './kind.ts';
import { as, both, choice, kind, setting, tagsAs } from './kind.ts';
import type { Spelled } from './spelled.ts';
import { merge, put } from './spelled.ts';

/** A setting by its attribute, its name below `properties`, and its argument. */
const own = (
  native: string,
  property: string,
  plan: string,
  values: readonly unknown[],
  absent?: unknown,
  differs?: string,
): Setting => {
  const path = `properties.${property}`;
  return setting(native, path, values, absent, { plan, item: path, differs });
};

/** A value that a template and a list spell in one way, and Terraform in another. */
const spelled = (native: unknown, template: unknown, plan: unknown = native): Spelled =>
  as(native, { template, plan, item: template });

/** A switch that Azure has the other way round. */
const reversed = [spelled(true, false), spelled(false, true)];
/** The same where Terraform has it Azure's way, too. */
const reversedTwice = [spelled(true, false, false), spelled(false, true, true)];

/** Azure words it, Terraform has a switch; on first. */
const enabled = [spelled(true, 'Enabled'), spelled(false, 'Disabled')];
const [on, off] = enabled;

const publicAccess = (property = 'publicNetworkAccess', plan = 'public_network_access_enabled') =>
  own('public_access', property, plan, [off, on], on);

/** The same in a template as in a list. */
const inBoth = (native: Fields, fields: Fields, plan: Fields): Value => ({
  native,
  template: fields,
  item: fields,
  plan,
});

/** A part of the resource that stands beside it, of a type and a name. */
const beside = (
  type: string,
  name: string,
  fields: Fields,
  plan: Readonly<Record<string, Fields>>,
): Required<Pick<Value, 'beside'>> => ({
  beside: { template: { [name]: [type, fields] }, item: [listed(type, name, fields)], plan },
});

const tls = (property: string, plan: string, absent: unknown, differs?: string): Setting =>
  own('tls.minimum_version', property, plan, ['1.2', '1.0', '1.1'], absent, differs);

const storageTls = (version: string) => {
  const written = `TLS${version.replace('.', '_')}`;
  return spelled(version, written, written);
};

const office = '203.0.113.0/24';

/** Who may connect where the rest is refused: the office, nobody, everybody. */
const networkRules = (
  block: string,
  alone?: (rules: Fields) => NonNullable<Value['beside']>,
): Setting => {
  const value = (cidrs: readonly string[], action: string): readonly Value[] => {
    const native = { network: { allowed_cidrs: action === 'Deny' ? cidrs : everywhere } };
    const fields = {
      properties: {
        networkAcls: { defaultAction: action, ipRules: cidrs.map((cidr) => ({ value: cidr })) },
      },
    };
    const rules = { default_action: action, ip_rules: cidrs };
    return [
      inBoth(native, fields, { [block]: [rules] }),
      ...(alone ? [{ ...inBoth(native, fields, {}), beside: alone(rules) }] : []),
    ];
  };
  return choice(
    'network rules',
    [...value([office], 'Deny'), ...value([], 'Deny'), ...value([office], 'Allow')],
    { native: { network: { allowed_cidrs: everywhere } } },
  );
};
const everywhere = ['0.0.0.0/0', '::/0'];

const account = new Reference('azurerm_storage_account.it.id');

const storage: readonly Kind[] = [
  kind('Azure::Storage::storageAccounts', 'azurerm_storage_account', [
    own('tls.required', 'supportsHttpsTrafficOnly', 'https_traffic_only_enabled', both, true),
    own(
      'tls.minimum_version',
      'minimumTlsVersion',
      'min_tls_version',
      ['1.2', '1.0', '1.1'].map(storageTls),
      storageTls('1.0'),
    ),
    own(
      'anonymous_access',
      'allowBlobPublicAccess',
      'allow_nested_items_to_be_public',
      [false, true],
      false,
      'Azure refuses anonymous reads since 2023; Terraform allows them.',
    ),
    publicAccess(),
    networkRules('network_rules', (rules) => ({
      plan: {
        'azurerm_storage_account_network_rules.it': { storage_account_id: account, ...rules },
      },
    })),
    own('local_auth', 'allowSharedKeyAccess', 'shared_access_key_enabled', [false, true], true),
    choice(
      'key',
      [
        inBoth(
          { encryption: { customer_managed: true } },
          { properties: { encryption: { keySource: 'Microsoft.Keyvault' } } },
          { customer_managed_key: [{ key_vault_key_id: 'https://it.vault.azure.net/keys/it' }] },
        ),
        {
          ...inBoth(
            { encryption: { customer_managed: true } },
            { properties: { encryption: { keySource: 'Microsoft.Keyvault' } } },
            {},
          ),
          beside: {
            plan: {
              'azurerm_storage_account_customer_managed_key.it': {
                storage_account_id: account,
                key_name: 'it',
              },
            },
          },
        },
      ],
      {
        native: { encryption: { customer_managed: false } },
        item: { properties: { encryption: { keySource: 'Microsoft.Storage' } } },
      },
    ),
    tagsAs(),
  ]),
  kind('Azure::Storage::storageAccounts/blobServices', 'azurerm_storage_account', [
    own(
      'versioning.enabled',
      'isVersioningEnabled',
      'blob_properties[].versioning_enabled',
      both,
      false,
    ),
    choice(
      'soft delete',
      [30, 7].map((days) =>
        inBoth(
          { soft_delete: { enabled: true, retention_days: days } },
          { properties: { deleteRetentionPolicy: { enabled: true, days } } },
          { blob_properties: [{ delete_retention_policy: [{ days }] }] },
        ),
      ),
      {
        native: { soft_delete: { enabled: false, retention_days: 0 } },
        item: { properties: { deleteRetentionPolicy: { enabled: false } } },
      },
    ),
  ]),
];

const expiry = '2027-01-01T00:00:00Z';

const vaults: readonly Kind[] = [
  kind('Azure::KeyVault::vaults', 'azurerm_key_vault', [
    publicAccess(),
    networkRules('network_acls'),
    own('rbac.enabled', 'enableRbacAuthorization', 'rbac_authorization_enabled', both, false),
    own('soft_delete.enabled', 'enableSoftDelete', 'soft_delete_enabled', both, true),
    own('purge_protection', 'enablePurgeProtection', 'purge_protection_enabled', both, false),
    tagsAs(),
  ]),
  kind('Azure::KeyVault::vaults/keys', 'azurerm_key_vault_key', [
    own('expires_at', 'attributes.exp', 'expiration_date', [
      spelled(expiry, Date.parse(expiry) / 1000),
    ]),
    choice(
      'rotation',
      [
        inBoth(
          { rotation: { enabled: true } },
          {
            properties: {
              rotationPolicy: {
                lifetimeActions: [
                  { trigger: { timeBeforeExpiry: 'P30D' }, action: { type: 'rotate' } },
                ],
              },
            },
          },
          { rotation_policy: [{ automatic: [{ time_before_expiry: 'P30D' }] }] },
        ),
        inBoth(
          { rotation: { enabled: false } },
          {
            properties: {
              rotationPolicy: {
                lifetimeActions: [
                  { trigger: { timeBeforeExpiry: 'P30D' }, action: { type: 'notify' } },
                ],
              },
            },
          },
          { rotation_policy: [{ notify_before_expiry: 'P30D' }] },
        ),
      ],
      { native: { rotation: { enabled: false } } },
    ),
    tagsAs(),
  ]),
];

/** Parts that a list leaves out unless it was asked for them. */
const inAnotherList = 'A list without any of these parts may not have been asked for them.';

const firewallRule = (terraform: string, server: Fields, from: string, to: string) =>
  beside(
    'Microsoft.Sql/servers/firewallRules',
    'it/office',
    { properties: { startIpAddress: from, endIpAddress: to } },
    { [`${terraform}.office`]: { ...server, start_ip_address: from, end_ip_address: to } },
  );

/** @param extra what only one of Terraform's types can say */
const sqlServer = (terraform: string, rule: string, server: Fields, extra: readonly Setting[]) =>
  kind(
    'Azure::Sql::servers',
    terraform,
    [
      publicAccess(),
      tls('minimalTlsVersion', 'minimum_tls_version', '1.2'),
      choice(
        'firewall',
        [
          ['203.0.113.0', '203.0.113.255', office],
          ['0.0.0.0', '0.0.0.0', '0.0.0.0/32'],
          ['0.0.0.0', '255.255.255.255', '0.0.0.0/0'],
        ].map(([from = '', to = '', cidr]) => ({
          native: { network: { allowed_cidrs: [cidr] } },
          ...firewallRule(rule, server, from, to),
        })),
        {},
        {},
        inAnotherList,
      ),
      ...extra,
      tagsAs(),
    ],
    {
      always: {
        // Somewhere in the list there are rules and settings of servers: it was asked for them.
        beside: {
          item: [
            listed('Microsoft.Sql/servers/auditingSettings', 'other/default', {
              properties: { state: 'Disabled' },
            }),
          ],
        },
      },
    },
  );

const serverId = new Reference('azurerm_mssql_server.it.id');

const audit = (state: 'Enabled' | 'Disabled', days: number): Value => ({
  native: {
    logging: {
      enabled: state === 'Enabled',
      ...(days > 0 ? { retention_days: days } : {}),
    },
  },
  ...beside(
    'Microsoft.Sql/servers/auditingSettings',
    'it/default',
    { properties: { state, retentionDays: days } },
    {
      'azurerm_mssql_server_extended_auditing_policy.it': {
        server_id: serverId,
        enabled: state === 'Enabled',
        retention_in_days: days,
      },
    },
  ),
});

const flexibleServer = (engine: 'PostgreSQL' | 'MySQL', terraform: string, server: Fields): Kind =>
  kind(`Azure::DBfor${engine}::flexibleServers`, terraform, [
    publicAccess('network.publicNetworkAccess'),
    choice(
      'tls.required',
      both.map((required) => ({
        native: { tls: { required } },
        ...beside(
          `Microsoft.DBfor${engine}/flexibleServers/configurations`,
          'it/require_secure_transport',
          { properties: { value: required ? 'ON' : 'off' } },
          {
            [`${terraform}_configuration.it`]: {
              ...server,
              name: 'require_secure_transport',
              value: required ? 'ON' : 'off',
            },
          },
        ),
      })),
      {},
      {},
      inAnotherList,
    ),
    own(
      'backup.retention_days',
      'backup.backupRetentionDays',
      'backup_retention_days',
      [35, 14, 7],
      7,
    ),
    own(
      'multi_az',
      'highAvailability.mode',
      'high_availability[].mode',
      [spelled(true, 'ZoneRedundant', 'ZoneRedundant'), spelled(false, 'SameZone', 'SameZone')],
      as(false, { item: 'Disabled' }),
    ),
    tagsAs(),
  ]);

const databases: readonly Kind[] = [
  sqlServer('azurerm_mssql_server', 'azurerm_mssql_firewall_rule', { server_id: serverId }, [
    own(
      'local_auth',
      'administrators.azureADOnlyAuthentication',
      'azuread_administrator[].azuread_authentication_only',
      reversedTwice.toReversed(),
      reversedTwice[0],
    ),
    choice('auditing', [audit('Enabled', 90), audit('Enabled', 0), audit('Disabled', 0)], {
      native: { logging: { enabled: false } },
    }),
  ]),
  sqlServer(
    'azurerm_sql_server',
    'azurerm_sql_firewall_rule',
    { server_name: new Reference('azurerm_sql_server.it.name') },
    [],
  ),
  ...(['azurerm_mssql_database', 'azurerm_sql_database'] as const).map((terraform) =>
    kind('Azure::Sql::servers/databases', terraform, [
      choice(
        'encryption',
        both.map((encrypted) => ({
          native: { encryption: { enabled: encrypted } },
          plan: { transparent_data_encryption_enabled: encrypted },
          ...beside(
            'Microsoft.Sql/servers/databases/transparentDataEncryption',
            'it/it/current',
            { properties: { state: encrypted ? 'Enabled' : 'Disabled' } },
            {},
          ),
        })),
        {},
        {},
        inAnotherList,
      ),
      tagsAs(),
    ]),
  ),
  flexibleServer('PostgreSQL', 'azurerm_postgresql_flexible_server', {
    server_id: new Reference('azurerm_postgresql_flexible_server.it.id'),
  }),
  flexibleServer('MySQL', 'azurerm_mysql_flexible_server', {
    server_name: new Reference('azurerm_mysql_flexible_server.it.name'),
  }),
  ...(['PostgreSQL', 'MySQL', 'MariaDB'] as const).map((engine) =>
    kind(`Azure::DBfor${engine}::servers`, `azurerm_${engine.toLowerCase()}_server`, [
      publicAccess(),
      own('tls.required', 'sslEnforcement', 'ssl_enforcement_enabled', enabled, on),
      tagsAs(),
    ]),
  ),
  kind('Azure::DocumentDB::databaseAccounts', 'azurerm_cosmosdb_account', [
    publicAccess(),
    choice(
      'network rules',
      [
        inBoth(
          { network: { allowed_cidrs: [office] } },
          { properties: { ipRules: [{ ipAddressOrRange: office }] } },
          { ip_range_filter: [office] },
        ),
        inBoth(
          { network: { allowed_cidrs: [office, '198.51.100.7/32'] } },
          {
            properties: {
              ipRules: [{ ipAddressOrRange: office }, { ipAddressOrRange: '198.51.100.7' }],
            },
          },
          { ip_range_filter: `${office},198.51.100.7` },
        ),
        inBoth(
          { network: { allowed_cidrs: [] } },
          { properties: { isVirtualNetworkFilterEnabled: true, ipRules: [] } },
          { is_virtual_network_filter_enabled: true },
        ),
      ],
      {
        native: { network: { allowed_cidrs: everywhere } },
        item: { properties: { isVirtualNetworkFilterEnabled: false, ipRules: [] } },
      },
    ),
    own(
      'local_auth',
      'disableLocalAuth',
      'local_authentication_disabled',
      reversedTwice.toReversed(),
      reversedTwice[0],
    ),
    tagsAs(),
  ]),
];

const containers: readonly Kind[] = [
  kind('Azure::ContainerRegistry::registries', 'azurerm_container_registry', [
    own('local_auth', 'adminUserEnabled', 'admin_enabled', both, false),
    own('anonymous_access', 'anonymousPullEnabled', 'anonymous_pull_enabled', both, false),
    publicAccess(),
    tagsAs(),
  ]),
  kind('Azure::ContainerService::managedClusters', 'azurerm_kubernetes_cluster', [
    own(
      'public_access',
      'apiServerAccessProfile.enablePrivateCluster',
      'private_cluster_enabled',
      reversedTwice.toReversed(),
      reversedTwice[0],
    ),
    own(
      'network.allowed_cidrs',
      'apiServerAccessProfile.authorizedIPRanges',
      'api_server_access_profile[].authorized_ip_ranges',
      [[office], ['0.0.0.0/0']],
      as(everywhere, { template: [], plan: [] }),
    ),
    own('network.policy', 'networkProfile.networkPolicy', 'network_profile[].network_policy', [
      'azure',
      'calico',
      'cilium',
    ]),
    own(
      'local_auth',
      'disableLocalAccounts',
      'local_account_disabled',
      reversedTwice.toReversed(),
      reversedTwice[0],
    ),
    own(
      'rbac.enabled',
      'enableRBAC',
      'role_based_access_control_enabled',
      both,
      undefined,
      'Azure documents no default.',
    ),
    tagsAs(),
  ]),
];

interface Opening {
  readonly access: 'Allow' | 'Deny';
  readonly direction: 'Inbound' | 'Outbound';
  readonly protocol: string;
  readonly port: string;
  readonly from: string;
}

const openings: readonly Opening[] = [
  { access: 'Allow', direction: 'Inbound', protocol: 'Tcp', port: '443', from: '10.0.0.0/8' },
  { access: 'Allow', direction: 'Inbound', protocol: 'Tcp', port: '22', from: '*' },
  { access: 'Allow', direction: 'Inbound', protocol: '*', port: '*', from: 'Internet' },
  { access: 'Deny', direction: 'Inbound', protocol: '*', port: '3389', from: '0.0.0.0/0' },
  { access: 'Allow', direction: 'Inbound', protocol: 'Udp', port: '1000-2000', from: 'AzureCloud' },
  { access: 'Allow', direction: 'Outbound', protocol: 'Tcp', port: '443', from: '*' },
];

const nativeRule = ({ access, direction, protocol, port, from }: Opening): Fields => {
  const [first, last] = port === '*' ? [0, 65_535] : port.split('-').map(Number);
  const anywhere = direction === 'Outbound' || ['*', 'Internet'].includes(from);
  const isTag = /^[A-Z]/.test(from) && !anywhere;
  return {
    access: access.toLowerCase(),
    protocol: protocol === '*' ? 'all' : protocol.toLowerCase(),
    from_port: first,
    to_port: last ?? first,
    cidrs: anywhere ? everywhere : isTag ? [] : [from],
    groups: isTag ? [from] : [],
    priority: 100,
  };
};

const templateRule = ({ port, from, ...rule }: Opening): Fields => ({
  ...rule,
  priority: 100,
  sourceAddressPrefix: from,
  sourcePortRange: '*',
  destinationAddressPrefix: '*',
  destinationPortRange: port,
});

const planRule = ({ port, from, ...rule }: Opening): Fields => ({
  ...rule,
  priority: 100,
  source_address_prefix: from,
  source_port_range: '*',
  destination_address_prefix: '*',
  destination_port_range: port,
});

const sides = (opening: Opening): Fields => ({
  ingress: opening.direction === 'Inbound' ? [nativeRule(opening)] : [],
  egress: opening.direction === 'Outbound' ? [nativeRule(opening)] : [],
});

const ruleType = 'Microsoft.Network/networkSecurityGroups/securityRules';
const firewallPolicyType = 'Microsoft.Network/ApplicationGatewayWebApplicationFirewallPolicies';

const firewallPolicy = (state: string, mode: string): Value => {
  const fields = { properties: { policySettings: { state, mode } } };
  return {
    native: { waf: { enabled: state === 'Enabled', mode: mode.toLowerCase() } },
    template: {
      properties: { firewallPolicy: { id: `[resourceId('${firewallPolicyType}', 'policy')]` } },
    },
    item: { properties: { firewallPolicy: { id: azureId(firewallPolicyType, 'policy') } } },
    plan: {
      firewall_policy_id: new Reference('azurerm_web_application_firewall_policy.policy.id'),
    },
    ...beside(firewallPolicyType, 'policy', fields, {
      'azurerm_web_application_firewall_policy.policy': {
        policy_settings: [{ enabled: state === 'Enabled', mode }],
      },
    }),
  };
};

const network: readonly Kind[] = [
  kind('Azure::Network::networkSecurityGroups', 'azurerm_network_security_group', [
    choice(
      'rules',
      openings.flatMap((opening) => [
        inBoth(
          sides(opening),
          { properties: { securityRules: [{ name: 'rule', properties: templateRule(opening) }] } },
          { security_rule: [{ name: 'rule', ...planRule(opening) }] },
        ),
        {
          native: sides(opening),
          ...beside(
            ruleType,
            'it/rule',
            { properties: templateRule(opening) },
            {
              'azurerm_network_security_rule.rule': {
                network_security_group_name: new Reference(
                  'azurerm_network_security_group.it.name',
                ),
                ...planRule(opening),
              },
            },
          ),
        },
      ]),
      { native: { ingress: [], egress: [] }, item: { properties: { securityRules: [] } } },
    ),
    tagsAs(),
  ]),
  kind(
    'Azure::Network::networkSecurityGroups/securityRules',
    'azurerm_network_security_rule',
    [
      choice(
        'rule',
        openings.map((opening) =>
          inBoth(sides(opening), { properties: templateRule(opening) }, planRule(opening)),
        ),
        {},
        {},
        'Azure asks for it.',
      ),
    ],
    {
      always: {
        native: { joined: false },
        plan: { network_security_group_name: 'it' },
      },
    },
  ),
  kind('Azure::Network::networkWatchers/flowLogs', 'azurerm_network_watcher_flow_log', [
    own('logging.enabled', 'enabled', 'enabled', both, undefined, 'Terraform asks for it.'),
    choice('retention', [
      ...[365, 30].map((days) =>
        inBoth(
          { logging: { retention_days: days } },
          { properties: { retentionPolicy: { enabled: true, days } } },
          { retention_policy: [{ enabled: true, days }] },
        ),
      ),
      inBoth(
        {},
        { properties: { retentionPolicy: { enabled: false, days: 0 } } },
        { retention_policy: [{ enabled: false, days: 0 }] },
      ),
    ]),
    tagsAs(),
  ]),
  kind(
    'Azure::Network::applicationGateways',
    'azurerm_application_gateway',
    [
      choice(
        'firewall',
        [
          ...both.flatMap((isOn) =>
            ['Prevention', 'Detection'].map((mode) =>
              inBoth(
                { waf: { enabled: isOn, mode: mode.toLowerCase() } },
                {
                  properties: {
                    webApplicationFirewallConfiguration: { enabled: isOn, firewallMode: mode },
                  },
                },
                { waf_configuration: [{ enabled: isOn, firewall_mode: mode }] },
              ),
            ),
          ),
          firewallPolicy('Enabled', 'Prevention'),
          firewallPolicy('Enabled', 'Detection'),
          firewallPolicy('Disabled', 'Prevention'),
        ],
        { native: { waf: { enabled: false, mode: 'detection' } } },
      ),
      tagsAs(),
    ],
    {
      always: inBoth(
        {},
        { properties: { sku: { name: 'WAF_v2', tier: 'WAF_v2' } } },
        { sku: [{ name: 'WAF_v2', tier: 'WAF_v2' }] },
      ),
    },
  ),
];

const operations: readonly Kind[] = [
  kind(
    'Azure::OperationalInsights::workspaces',
    'azurerm_log_analytics_workspace',
    [own('retention_days', 'retentionInDays', 'retention_in_days', [365, 90, 30], 30), tagsAs()],
    {
      always: inBoth({}, { properties: { sku: { name: 'PerGB2018' } } }, { sku: 'PerGB2018' }),
    },
  ),
  kind('Azure::ServiceBus::namespaces', 'azurerm_servicebus_namespace', [
    own('local_auth', 'disableLocalAuth', 'local_auth_enabled', reversed.toReversed(), reversed[0]),
    tls('minimumTlsVersion', 'minimum_tls_version', '1.2'),
    tagsAs(),
  ]),
  kind('Azure::EventHub::namespaces', 'azurerm_eventhub_namespace', [
    own(
      'local_auth',
      'disableLocalAuth',
      'local_authentication_enabled',
      reversed.toReversed(),
      reversed[0],
    ),
    tls('minimumTlsVersion', 'minimum_tls_version', '1.2'),
    tagsAs(),
  ]),
];

const vmType = 'Microsoft.Compute/virtualMachines';
const nicType = 'Microsoft.Network/networkInterfaces';
const addressId = azureId('Microsoft.Network/publicIPAddresses', 'it');

/** A network interface, with an address of the internet or without. */
const attached = (isPublic: boolean): Value => {
  const fields = {
    properties: {
      ipConfigurations: [
        {
          name: 'internal',
          properties: isPublic ? { publicIPAddress: { id: addressId } } : {},
        },
      ],
    },
  };
  const at = (id: string) => ({ properties: { networkProfile: { networkInterfaces: [{ id }] } } });
  return {
    native: { public_access: isPublic },
    template: at(`[resourceId('${nicType}', 'nic')]`),
    item: at(azureId(nicType, 'nic')),
    plan: { network_interface_ids: [new Reference('azurerm_network_interface.nic.id')] },
    ...beside(nicType, 'nic', fields, {
      'azurerm_network_interface.nic': {
        ip_configuration: [
          { name: 'internal', ...(isPublic ? { public_ip_address_id: addressId } : {}) },
        ],
      },
    }),
  };
};

const keysOnly = (only: boolean, plan: Fields): Value =>
  inBoth(
    { password_auth: !only },
    {
      properties: {
        osProfile: { linuxConfiguration: { disablePasswordAuthentication: only } },
      },
    },
    plan,
  );

const machine = (
  terraform: string,
  os: 'linux' | 'windows',
  settings: readonly Setting[],
  plan: Fields = {},
): Kind =>
  kind(
    'Azure::Compute::virtualMachines',
    terraform,
    [
      own(
        'encryption.at_host',
        'securityProfile.encryptionAtHost',
        'encryption_at_host_enabled',
        both,
        false,
      ),
      choice('address', [attached(false), attached(true)], { native: { public_access: false } }),
      ...settings,
      tagsAs(),
    ],
    {
      always: merge2(
        inBoth(
          { os },
          {
            properties: {
              storageProfile: { osDisk: { osType: os === 'linux' ? 'Linux' : 'Windows' } },
              osProfile: { computerName: 'it' },
            },
          },
          plan,
        ),
        os === 'windows' ? inBoth({ password_auth: true }, {}, {}) : {},
      ),
    },
  );

/** Two parts of what every variant has. */
const merge2 = (first: Value, second: Value): Value => ({
  native: merge(first.native, second.native),
  template: merge(first.template, second.template),
  plan: merge(first.plan, second.plan),
  item: merge(first.item, second.item),
});

const compute: readonly Kind[] = [
  machine('azurerm_linux_virtual_machine', 'linux', [
    choice(
      'passwords',
      both.map((only) => keysOnly(only, { disable_password_authentication: only })),
      {},
      {},
      'Azure takes passwords, where Terraform takes none.',
    ),
  ]),
  machine('azurerm_windows_virtual_machine', 'windows', []),
  machine('azurerm_virtual_machine', 'linux', [
    choice(
      'passwords',
      both.map((only) =>
        keysOnly(only, { os_profile_linux_config: [{ disable_password_authentication: only }] }),
      ),
      {},
      {},
      'Terraform asks for it.',
    ),
  ]),
  kind('Azure::Compute::disks', 'azurerm_managed_disk', [
    publicAccess(),
    choice(
      'exports',
      ['AllowAll', 'DenyAll', 'AllowPrivate'].map((policy) =>
        inBoth(
          policy === 'AllowAll' ? {} : { public_access: false },
          { properties: { networkAccessPolicy: policy } },
          { network_access_policy: policy },
        ),
      ),
      { item: { properties: { networkAccessPolicy: 'AllowAll' } } },
    ),
    choice(
      'key',
      [
        inBoth(
          { encryption: { customer_managed: true } },
          {
            properties: {
              encryption: {
                type: 'EncryptionAtRestWithCustomerKey',
                diskEncryptionSetId: `${resourceGroup}/set`,
              },
            },
          },
          { disk_encryption_set_id: `${resourceGroup}/set` },
        ),
      ],
      {
        native: { encryption: { customer_managed: false } },
        item: { properties: { encryption: { type: 'EncryptionAtRestWithPlatformKey' } } },
      },
    ),
    choice(
      'machine',
      [
        {
          native: { attached: true },
          item: { managedBy: azureId(vmType, 'machine') },
          beside: {
            template: {
              machine: [
                vmType,
                {
                  properties: {
                    storageProfile: {
                      dataDisks: [
                        { managedDisk: { id: "[resourceId('Microsoft.Compute/disks', 'it')]" } },
                      ],
                    },
                  },
                },
              ],
            },
            plan: {
              'azurerm_virtual_machine_data_disk_attachment.it': {
                managed_disk_id: new Reference('azurerm_managed_disk.it.id'),
              },
            },
          },
        },
      ],
      { native: { attached: false } },
    ),
    tagsAs(),
  ]),
];

/** @param ftp what is done where nothing is said of FTP, where that is not what Azure does */
const site = (terraform: string, minimum: string, ftp?: string): Kind =>
  kind(terraform.endsWith('_slot') ? 'Azure::Web::sites/slots' : 'Azure::Web::sites', terraform, [
    own('tls.required', 'httpsOnly', 'https_only', both, false),
    tls('siteConfig.minTlsVersion', `site_config[].${minimum}`, '1.2'),
    own(
      'ftp_state',
      'siteConfig.ftpsState',
      'site_config[].ftps_state',
      ['Disabled', 'FtpsOnly', 'AllAllowed'],
      'AllAllowed',
      ftp,
    ),
    own(
      'remote_debugging',
      'siteConfig.remoteDebuggingEnabled',
      'site_config[].remote_debugging_enabled',
      both,
      false,
    ),
    choice(
      'app settings',
      ['LOG_LEVEL', 'DB_PASSWORD', 'DB_SECRET_NAME'].map((name) =>
        inBoth(
          { environment_variables: { [name]: 'hunter22' } },
          { properties: { siteConfig: { appSettings: [{ name, value: 'hunter22' }] } } },
          { app_settings: { [name]: 'hunter22' } },
        ),
      ),
      {
        native: { environment_variables: {} },
        item: { properties: { siteConfig: { appSettings: [] } } },
      },
    ),
    choice(
      'identity',
      ['SystemAssigned', 'UserAssigned', 'SystemAssigned, UserAssigned'].map((type) =>
        inBoth({ identity: { enabled: true } }, { identity: { type } }, { identity: [{ type }] }),
      ),
      { native: { identity: { enabled: false } } },
    ),
    tagsAs(),
  ]);

const noFtp = 'Azure allows all, where this type of Terraform turns it off.';

const sites: readonly Kind[] = [
  site('azurerm_linux_web_app', 'minimum_tls_version', noFtp),
  site('azurerm_windows_web_app', 'minimum_tls_version', noFtp),
  site('azurerm_linux_function_app', 'minimum_tls_version', noFtp),
  site('azurerm_windows_function_app', 'minimum_tls_version', noFtp),
  site('azurerm_app_service', 'min_tls_version'),
  site('azurerm_function_app', 'min_tls_version'),
  site('azurerm_linux_web_app_slot', 'minimum_tls_version', noFtp),
  site('azurerm_windows_function_app_slot', 'minimum_tls_version', noFtp),
  site('azurerm_app_service_slot', 'min_tls_version'),
];

/** The well-known ids of roles. */
const roles = [
  ['Owner', '8e3af657-a8ff-443c-a75c-2fe8c4bcb635'],
  ['Contributor', 'b24988ac-6180-42a0-ab88-20f7382dd24c'],
  ['Reader', 'acdd72a7-3385-48ef-bd42-f606fba81ae7'],
] as const;
const roleType = 'Microsoft.Authorization/roleDefinitions';

const access: readonly Kind[] = [
  kind(
    'Azure::Authorization::roleAssignments',
    'azurerm_role_assignment',
    [
      choice(
        'role',
        roles.map(([name, id]) => ({
          native: { role_name: name },
          template: {
            properties: { roleDefinitionId: `[subscriptionResourceId('${roleType}', '${id}')]` },
          },
          item: { properties: { roleDefinitionId: `/providers/${roleType}/${id}` } },
          plan: { role_definition_name: name },
        })),
        {},
        {},
        'Azure asks for it.',
      ),
      own(
        'principal_type',
        'principalType',
        'principal_type',
        ['Group', 'User', 'ServicePrincipal'],
        undefined,
        'Azure looks it up.',
      ),
    ],
    {
      always: {
        native: { scope_level: 'resource_group' },
        item: { properties: { scope: resourceGroup } },
        plan: { scope: resourceGroup },
      },
    },
  ),
  kind(
    'Azure::Authorization::roleDefinitions',
    'azurerm_role_definition',
    [
      choice(
        'permissions',
        [
          ['Microsoft.Compute/virtualMachines/read'],
          ['*'],
          ['*/read', 'Microsoft.Authorization/*'],
        ].map((actions) =>
          inBoth(
            { permissions: [{ actions }] },
            { properties: { permissions: [{ actions, notActions: [] }] } },
            { permissions: [{ actions, not_actions: [] }] },
          ),
        ),
        { native: { permissions: [] } },
      ),
    ],
    {
      always: {
        native: put('custom', true),
        item: { properties: { type: 'CustomRole' } },
      },
    },
  ),
];

export const azureKinds: readonly Kind[] = [
  ...storage,
  ...vaults,
  ...databases,
  ...containers,
  ...network,
  ...operations,
  ...compute,
  ...sites,
  ...access,
];
