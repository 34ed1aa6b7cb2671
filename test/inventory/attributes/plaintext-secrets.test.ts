import { describe, expect, test } from 'vitest';
import { secretPlaces } from '../../../src/inventory/attributes/secret-places.ts';
import { readInventory } from '../../../src/inventory/read.ts';
import { Reference, attributesOfPlan, attributesOfState, planDocument } from './aws/twins.ts';

type Fields = Readonly<Record<string, unknown>>;
const password = 'Password=hunter2hunter2';

/** A value at a path, through maps; through blocks, which a plan has as lists. */
const nest = (path: string, value: unknown, inLists = false): Fields => {
  const [name = '', ...rest] = path.split('.');
  const inner = rest.length === 0 ? value : nest(rest.join('.'), value, inLists);
  return { [name]: inLists && rest.length > 0 ? [inner] : inner };
};

/** What of a resource is found in the first resource of a document. */
function secretsIn(document: object): unknown {
  const read = readInventory(JSON.stringify(document));
  if (!read.ok) throw new Error(read.problem.message);
  const [first] = read.inventory.resources;
  return first?.resource['plaintext_secrets'] ?? [];
}

const template = (type: string, property: string, value: unknown): object => {
  const also = type === 'AWS::SSM::Parameter' ? { Name: '/app/db/password', Type: 'String' } : {};
  const secret = type.endsWith('/namedValues') ? { secret: true } : {};
  if (type.startsWith('AWS::')) {
    const Parameters = { Secret: { Type: 'String', NoEcho: true }, Shown: { Type: 'String' } };
    const Properties = { ...also, ...nest(property, value) };
    return { Parameters, Resources: { It: { Type: type, Properties } } };
  }
  return {
    $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
    parameters: {
      secret: { type: 'securestring' },
      made: { type: 'secureString', defaultValue: '[newGuid()]' },
      standard: { type: 'secureString', defaultValue: password },
      shown: { type: 'string' },
    },
    resources: [
      {
        type: type.replace('Azure::', 'Microsoft.').replace('::', '/'),
        apiVersion: '2023-01-01',
        name: type.replace(/[^/]+/g, 'it'),
        properties: { ...secret, ...nest(property, value) },
      },
    ],
  };
};

const places = Object.entries(secretPlaces).flatMap(([type, all]) =>
  all.map(({ property }) => [type, property] as const),
);
const ofAws = places.filter(([type]) => type.startsWith('AWS::'));
const ofAzure = places.filter(([type]) => type.startsWith('Azure::'));

describe.each(ofAws)('a template: %s %s', (type, property) => {
  test.each([
    ['written down', password, [property]],
    ['in a list', [password], [property]],
    ['a parameter that is shown', { Ref: 'Shown' }, [property]],
    ['a NoEcho parameter', { Ref: 'Secret' }, []],
    ['Secrets Manager', '{{resolve:secretsmanager:it:SecretString:password}}', []],
  ])('%s', (_title, value, found) => {
    expect(secretsIn(template(type, property, value))).toEqual(found);
  });
});

describe.each(ofAzure)('a template: %s %s', (type, property) => {
  test.each([
    ['written down', password, [property]],
    ['the default of a secure parameter', "[parameters('standard')]", [property]],
    ['a parameter that is shown', "[parameters('shown')]", [property]],
    ['a secure parameter', "[parameters('secret')]", []],
    ['a secure parameter that is made by default', "[parameters('made')]", []],
    ['made', "[concat('P', newGuid())]", []],
    ['asked for', "[listKeys(resourceId('Microsoft.Cache/redis', 'it'), '2023-08-01').key]", []],
  ])('%s', (_title, value, found) => {
    expect(secretsIn(template(type, property, value))).toEqual(found);
  });
});

/** Terraform's types, with what else says that their value is a secret. */
const terraformTypes: Readonly<Record<string, readonly [type: string, also?: Fields]>> = {
  aws_amplify_app: ['AWS::Amplify::App'],
  aws_amplify_branch: ['AWS::Amplify::Branch'],
  aws_appstream_directory_config: ['AWS::AppStream::DirectoryConfig'],
  aws_cloudwatch_event_connection: ['AWS::Events::Connection'],
  aws_codepipeline: ['AWS::CodePipeline::Pipeline'],
  aws_codepipeline_webhook: ['AWS::CodePipeline::Webhook'],
  aws_cognito_identity_provider: ['AWS::Cognito::UserPoolIdentityProvider'],
  aws_directory_service_directory: ['AWS::DirectoryService::ADConnector', { type: 'ADConnector' }],
  aws_docdbelastic_cluster: ['AWS::DocDBElastic::Cluster'],
  aws_elasticache_user: ['AWS::ElastiCache::User'],
  aws_elasticsearch_domain: ['AWS::Elasticsearch::Domain'],
  aws_fsx_ontap_storage_virtual_machine: ['AWS::FSx::StorageVirtualMachine'],
  aws_fsx_windows_file_system: ['AWS::FSx::FileSystem'],
  aws_iam_server_certificate: ['AWS::IAM::ServerCertificate'],
  aws_lb_listener: ['AWS::ElasticLoadBalancingV2::Listener'],
  aws_lb_listener_rule: ['AWS::ElasticLoadBalancingV2::ListenerRule'],
  aws_lightsail_database: ['AWS::Lightsail::Database'],
  aws_memorydb_user: ['AWS::MemoryDB::User'],
  aws_opensearch_domain: ['AWS::OpenSearchService::Domain'],
  aws_redshiftserverless_namespace: ['AWS::RedshiftServerless::Namespace'],
  aws_secretsmanager_secret_version: ['AWS::SecretsManager::SecretVersion'],
  aws_ssm_parameter: ['AWS::SSM::Parameter', { type: 'SecureString', name: 'it' }],
  aws_vpn_connection: ['AWS::EC2::VPNConnection'],
  azurerm_api_management_named_value: [
    'Azure::ApiManagement::service/namedValues',
    { secret: true },
  ],
  azurerm_automation_credential: ['Azure::Automation::automationAccounts/credentials'],
  azurerm_container_app: ['Azure::App::containerApps'],
  azurerm_container_app_job: ['Azure::App::jobs'],
  azurerm_cosmosdb_postgresql_cluster: ['Azure::DBforPostgreSQL::serverGroupsv2'],
  azurerm_dev_test_linux_virtual_machine: ['Azure::DevTestLab::labs/virtualMachines'],
  azurerm_hdinsight_hadoop_cluster: ['Azure::HDInsight::clusters'],
  azurerm_key_vault_secret: ['Azure::KeyVault::vaults/secrets'],
  azurerm_kubernetes_cluster: ['Azure::ContainerService::managedClusters'],
  azurerm_linux_virtual_machine: ['Azure::Compute::virtualMachines'],
  azurerm_linux_virtual_machine_scale_set: ['Azure::Compute::virtualMachineScaleSets'],
  azurerm_mariadb_server: ['Azure::DBforMariaDB::servers'],
  azurerm_mongo_cluster: ['Azure::DocumentDB::mongoClusters'],
  azurerm_mssql_managed_instance: ['Azure::Sql::managedInstances'],
  azurerm_mssql_server: ['Azure::Sql::servers'],
  azurerm_mssql_virtual_machine: ['Azure::SqlVirtualMachine::sqlVirtualMachines'],
  azurerm_mysql_flexible_server: ['Azure::DBforMySQL::flexibleServers'],
  azurerm_mysql_server: ['Azure::DBforMySQL::servers'],
  azurerm_netapp_account: ['Azure::NetApp::netAppAccounts'],
  azurerm_postgresql_flexible_server: ['Azure::DBforPostgreSQL::flexibleServers'],
  azurerm_postgresql_server: ['Azure::DBforPostgreSQL::servers'],
  azurerm_synapse_workspace: ['Azure::Synapse::workspaces'],
  azurerm_virtual_network_gateway: ['Azure::Network::virtualNetworkGateways'],
  azurerm_virtual_network_gateway_connection: ['Azure::Network::connections'],
  google_alloydb_cluster: ['GCP::Alloydb::Cluster'],
  google_alloydb_user: ['GCP::Alloydb::User'],
  google_compute_vpn_tunnel: ['GCP::Compute::VpnTunnel'],
  google_database_migration_service_connection_profile: ['GCP::Datamigration::ConnectionProfile'],
  google_secret_manager_secret_version: ['GCP::Secretmanager::SecretVersion'],
  google_sql_database_instance: ['GCP::Sqladmin::Instance'],
  google_sql_user: ['GCP::Sqladmin::User'],
};

const planned = Object.entries(terraformTypes).flatMap(([terraformType, [type, also = {}]]) =>
  (secretPlaces[type] ?? []).flatMap(({ property, argument }) =>
    [argument].flat().map((one) => ({ terraformType, type, property, argument: one, also })),
  ),
);

/** A plan of one resource, one argument of which has a value. */
const inPlan = ({ terraformType, argument, also }: (typeof planned)[number], value: unknown) => ({
  [`${terraformType}.it`]: { ...also, ...nest(argument, value, true) },
});

describe.each(planned.map((one) => [one.terraformType, one.argument, one] as const))(
  'a plan: %s %s',
  (_type, argument, one) => {
    test('has the type that the table names', () => {
      const read = readInventory(JSON.stringify(planDocument(inPlan(one, password))));
      expect(read.ok && read.inventory.resources[0]?.resource.type).toBe(one.type);
    });

    test('written down', () => {
      const found = attributesOfPlan(inPlan(one, password))['plaintext_secrets'];
      expect(found).toEqual([one.property]);
    });

    test('made by another resource', () => {
      const made = new Reference('random_password.it.result');
      expect(attributesOfPlan(inPlan(one, made))['plaintext_secrets']).toBeUndefined();
    });

    test('written in its write-only form, of which a plan has no value', () => {
      const plan = inPlan({ ...one, argument: `${argument}_wo` }, password);
      const document = JSON.parse(JSON.stringify(planDocument(plan))) as {
        resource_changes: [{ change: { after: object } }];
      };
      document.resource_changes[0].change.after = one.also;
      expect(secretsIn(document)).toEqual([one.property]);
    });

    test('a state does not tell where it comes from', () => {
      const [found] = attributesOfState(inPlan(one, password))['plaintext_secrets'] as unknown[];
      expect(found).toBe('not known');
    });
  },
);

test.each([
  ['CHANGEME', []],
  ['change-me-later', []],
  ['<your secret>', []],
  ['placeholder', []],
  ['{}', []],
  ['{"username":"app"}', []],
  ['{"username":"app","password":"CHANGE_ME"}', []],
  ['{"username":"app","password":"{{resolve:secretsmanager:it:SecretString:p}}"}', []],
  ['{"username":"app","password":"hunter22"}', ['SecretString']],
  ['{"username":"app",', ['SecretString']],
  ['sk-4f9a', ['SecretString']],
])('what Secrets Manager keeps, %s: %j', (SecretString, found) => {
  const document = {
    Resources: { It: { Type: 'AWS::SecretsManager::Secret', Properties: { SecretString } } },
  };
  expect(secretsIn(document)).toEqual(found);
});

test.each([
  ['/app/db/password', 'String', ['Value']],
  ['/app/api-key', 'String', ['Value']],
  ['/app/db/host', 'SecureString', ['Value']],
  ['/app/db/host', 'String', []],
  ['/app/db/password-arn', 'String', []],
  ['/app/secret_name', 'String', []],
])('a parameter of Systems Manager, %s of the type %s: %j', (Name, Type, found) => {
  const Properties = { Name, Type, Value: password };
  expect(secretsIn({ Resources: { It: { Type: 'AWS::SSM::Parameter', Properties } } })).toEqual(
    found,
  );
});

test('a document of variables of which one is sensitive is not written down', () => {
  const [document] = [
    planDocument({
      'aws_secretsmanager_secret_version.it': {
        secret_string: '{"user":"app","password":"hunter22"}',
      },
    }),
  ];
  const configuration = {
    root_module: {
      variables: { user: { default: 'app' }, password: { sensitive: true } },
      resources: [
        {
          address: 'aws_secretsmanager_secret_version.it',
          mode: 'managed',
          type: 'aws_secretsmanager_secret_version',
          name: 'it',
          expressions: { secret_string: { references: ['var.user', 'var.password'] } },
        },
      ],
    },
  };
  expect(secretsIn({ ...document, configuration })).toEqual([]);
});

test('each of several blocks has the source of its own value', () => {
  const users = [
    { username: 'a', password: 'from-a-variable' },
    { username: 'b', password },
  ];
  const document = {
    ...planDocument({ 'aws_mq_broker.it': { user: users } }),
    configuration: {
      root_module: {
        variables: { password: { sensitive: true } },
        resources: [
          {
            address: 'aws_mq_broker.it',
            mode: 'managed',
            type: 'aws_mq_broker',
            name: 'it',
            expressions: {
              user: [
                { username: { constant_value: 'b' }, password: { constant_value: password } },
                { username: { constant_value: 'a' }, password: { references: ['var.password'] } },
              ],
            },
          },
        ],
      },
    },
  };
  const read = readInventory(JSON.stringify(document));
  if (!read.ok) throw new Error(read.problem.message);
  expect(read.inventory.resources[0]?.resource['users']).toEqual([
    { name: 'a', password: { source: 'secret_parameter' } },
    { name: 'b', password: { source: 'plaintext' } },
  ]);
});

test.each([
  ['a sensitive variable', { password: { sensitive: true }, user: { default: 'app' } }, []],
  ['variables that are shown', { password: {}, user: {} }, ['ProviderDetails.client_secret']],
])('a secret in a map that is made of %s', (_title, variables, found) => {
  const values = { provider_details: { client_id: 'app', client_secret: password } };
  const document = {
    ...planDocument({ 'aws_cognito_identity_provider.it': values }),
    configuration: {
      root_module: {
        variables,
        resources: [
          {
            address: 'aws_cognito_identity_provider.it',
            mode: 'managed',
            type: 'aws_cognito_identity_provider',
            name: 'it',
            expressions: { provider_details: { references: ['var.user', 'var.password'] } },
          },
        ],
      },
    },
  };
  expect(secretsIn(document)).toEqual(found);
});
