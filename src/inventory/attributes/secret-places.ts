import { atAnyCase, flag, isOneOf, text } from './values.ts';

/** A property that takes a password or a key. */
export interface SecretPlace {
  /** By the provider's names; through lists without a word, and by `*` through all values of a map. */
  readonly property: string;
  /** By Terraform's names; of several, each stands in another of its types. */
  readonly argument: string | readonly string[];
  /** The resource exists to store the secret, and often starts with a placeholder for it. */
  readonly isKept?: true;
  /** Whether what it takes is a secret at all, where that depends on other properties. */
  readonly where?: (properties: Readonly<Record<string, unknown>>) => boolean;
  /** A text of several things, such as a connection string: only some have a secret among them. */
  readonly isPart?: true;
}

const place = (property: string, ...argument: readonly string[]): SecretPlace => ({
  property,
  argument,
});

const kept = (property: string, ...argument: readonly string[]): SecretPlace => ({
  property,
  argument,
  isKept: true,
});

/** Of Systems Manager: it says so, or it is called so. */
const isSecretParameter = (properties: Readonly<Record<string, unknown>>): boolean => {
  const [type, name] = ['Type', 'Name'].map((one) => text(atAnyCase(properties, one)));
  return (
    isOneOf(type, 'SecureString') === true ||
    (typeof name === 'string' && secretName.test(name) && !pointerName.test(name))
  );
};

const secretName =
  /passw(?:or)?d|passphrase|secret|(?:^|[/_.-])token|api[/_.-]?key|private[/_.-]?key/i;
const pointerName = /(?:arn|id|name|path|url|uri|version)$/i;

const basicAuth = place('BasicAuthConfig.Password', 'basic_auth_credentials');
const searchMaster = place(
  'AdvancedSecurityOptions.MasterUserOptions.MasterUserPassword',
  'advanced_security_options.master_user_options.master_user_password',
);
const administrator = place(
  'administratorLoginPassword',
  'administrator_login_password',
  'administrator_password',
);
const hdInsight = [
  place('clusterDefinition.configurations.gateway.restAuthCredential.password', 'gateway.password'),
  place(
    'computeProfile.roles.osProfile.linuxOperatingSystemProfile.password',
    'roles.head_node.password',
    'roles.worker_node.password',
    'roles.zookeeper_node.password',
  ),
];

const connectionString = (property: string, ...argument: readonly string[]): SecretPlace => ({
  ...place(property, ...argument),
  isPart: true,
});
const webApp = [
  connectionString('siteConfig.connectionStrings.connectionString', 'connection_string.value'),
];
/** Of the parts `web` and `connectionstrings`. */
const webAppConfig = [
  connectionString('connectionStrings.connectionString'),
  connectionString('*.value'),
];

/** What takes passwords and keys, by type. Databases and services with policies of their own for them are not among these. */
export const secretPlaces: Readonly<Record<string, readonly SecretPlace[]>> = {
  'AWS::Amplify::App': [
    place('AccessToken', 'access_token'),
    place('OauthToken', 'oauth_token'),
    basicAuth,
  ],
  'AWS::Amplify::Branch': [basicAuth],
  'AWS::AppStream::DirectoryConfig': [
    place(
      'ServiceAccountCredentials.AccountPassword',
      'service_account_credentials.account_password',
    ),
  ],
  'AWS::CodePipeline::Pipeline': [
    place('Stages.Actions.Configuration.OAuthToken', 'stage.action.configuration.OAuthToken'),
  ],
  'AWS::CodePipeline::Webhook': [
    place('AuthenticationConfiguration.SecretToken', 'authentication_configuration.secret_token'),
  ],
  'AWS::Cognito::UserPoolIdentityProvider': [
    place('ProviderDetails.client_secret', 'provider_details.client_secret'),
  ],
  'AWS::DirectoryService::ADConnector': [place('Password', 'password')],
  'AWS::DocDBElastic::Cluster': [place('AdminUserPassword', 'admin_user_password')],
  'AWS::EC2::VPNConnection': [
    place(
      'VpnTunnelOptionsSpecifications.PreSharedKey',
      'tunnel1_preshared_key',
      'tunnel2_preshared_key',
    ),
  ],
  'AWS::ElastiCache::User': [
    place('Passwords', 'passwords'),
    place('AuthenticationMode.Passwords', 'authentication_mode.passwords'),
  ],
  'AWS::ElasticLoadBalancingV2::Listener': [
    place(
      'DefaultActions.AuthenticateOidcConfig.ClientSecret',
      'default_action.authenticate_oidc.client_secret',
    ),
  ],
  'AWS::ElasticLoadBalancingV2::ListenerRule': [
    place('Actions.AuthenticateOidcConfig.ClientSecret', 'action.authenticate_oidc.client_secret'),
  ],
  'AWS::Elasticsearch::Domain': [searchMaster],
  'AWS::Events::Connection': [
    place('AuthParameters.ApiKeyAuthParameters.ApiKeyValue', 'auth_parameters.api_key.value'),
    place('AuthParameters.BasicAuthParameters.Password', 'auth_parameters.basic.password'),
    place(
      'AuthParameters.OAuthParameters.ClientParameters.ClientSecret',
      'auth_parameters.oauth.client_parameters.client_secret',
    ),
  ],
  'AWS::FSx::FileSystem': [
    place('OntapConfiguration.FsxAdminPassword', 'fsx_admin_password'),
    place(
      'WindowsConfiguration.SelfManagedActiveDirectoryConfiguration.Password',
      'self_managed_active_directory.password',
    ),
  ],
  'AWS::FSx::StorageVirtualMachine': [
    place('SvmAdminPassword', 'svm_admin_password'),
    place(
      'ActiveDirectoryConfiguration.SelfManagedActiveDirectoryConfiguration.Password',
      'active_directory_configuration.self_managed_active_directory_configuration.password',
    ),
  ],
  'AWS::IAM::ServerCertificate': [place('PrivateKey', 'private_key')],
  'AWS::Lightsail::Database': [place('MasterUserPassword', 'master_password')],
  'AWS::ManagedBlockchain::Member': [
    place(
      'MemberConfiguration.MemberFrameworkConfiguration.MemberFabricConfiguration.AdminPassword',
      'member_configuration.framework_configuration.member_fabric_configuration.admin_password',
    ),
  ],
  'AWS::MemoryDB::User': [place('AuthenticationMode.Passwords', 'authentication_mode.passwords')],
  'AWS::OpenSearchService::Domain': [searchMaster],
  'AWS::OpsWorks::App': [place('AppSource.Password', 'app_source.password')],
  'AWS::RedshiftServerless::Namespace': [place('AdminUserPassword', 'admin_user_password')],
  'AWS::SecretsManager::Secret': [kept('SecretString', 'secret_string')],
  'AWS::SecretsManager::SecretVersion': [kept('SecretString', 'secret_string')],
  'AWS::SSM::Parameter': [
    { ...kept('Value', 'value', 'insecure_value'), where: isSecretParameter },
  ],

  'Azure::ApiManagement::service/namedValues': [
    { ...kept('value', 'value'), where: (properties) => flag(properties['secret']) === true },
  ],
  'Azure::App::containerApps': [place('configuration.secrets.value', 'secret.value')],
  'Azure::App::jobs': [place('configuration.secrets.value', 'secret.value')],
  'Azure::Automation::automationAccounts/credentials': [place('password', 'password')],
  'Azure::Compute::virtualMachineScaleSets': [
    place(
      'virtualMachineProfile.osProfile.adminPassword',
      'admin_password',
      'os_profile.admin_password',
      'os_profile.linux_configuration.admin_password',
      'os_profile.windows_configuration.admin_password',
    ),
  ],
  'Azure::Compute::virtualMachines': [
    place('osProfile.adminPassword', 'admin_password', 'os_profile.admin_password'),
  ],
  'Azure::ContainerService::managedClusters': [
    place('windowsProfile.adminPassword', 'windows_profile.admin_password'),
    place('servicePrincipalProfile.secret', 'service_principal.client_secret'),
  ],
  'Azure::DBforMariaDB::servers': [administrator],
  'Azure::DBforMySQL::flexibleServers': [administrator],
  'Azure::DBforMySQL::servers': [administrator],
  'Azure::DBforPostgreSQL::flexibleServers': [administrator],
  'Azure::DBforPostgreSQL::serverGroupsv2': [administrator],
  'Azure::DBforPostgreSQL::servers': [administrator],
  'Azure::DevTestLab::labs/virtualMachines': [place('password', 'password')],
  'Azure::DocumentDB::mongoClusters': [
    place('administratorLoginPassword', 'administrator_login_password'),
    place('administrator.password', 'administrator_password'),
  ],
  'Azure::HDInsight::clusters': hdInsight,
  'Azure::KeyVault::vaults/secrets': [kept('value', 'value')],
  'Azure::NetApp::netAppAccounts': [
    place('activeDirectories.password', 'active_directory.password'),
  ],
  'Azure::Network::connections': [place('sharedKey', 'shared_key')],
  'Azure::Network::virtualNetworkGateways': [
    place(
      'vpnClientConfiguration.radiusServerSecret',
      'vpn_client_configuration.radius_server_secret',
    ),
  ],
  'Azure::Sql::managedInstances': [administrator],
  'Azure::Sql::servers': [administrator],
  'Azure::SqlVirtualMachine::sqlVirtualMachines': [
    place(
      'serverConfigurationsManagementSettings.sqlConnectivityUpdateSettings.sqlAuthUpdatePassword',
      'sql_connectivity_update_password',
    ),
  ],
  'Azure::Synapse::workspaces': [
    place('sqlAdministratorLoginPassword', 'sql_administrator_login_password'),
  ],
  'Azure::Web::sites': webApp,
  'Azure::Web::sites/config': webAppConfig,
  'Azure::Web::sites/slots': webApp,
  'Azure::Web::sites/slots/config': webAppConfig,

  'GCP::Alloydb::Cluster': [place('initialUser.password', 'initial_user.password')],
  'GCP::Alloydb::User': [place('password', 'password')],
  'GCP::Compute::VpnTunnel': [place('sharedSecret', 'shared_secret')],
  'GCP::Datamigration::ConnectionProfile': [
    place('mysql.password', 'mysql.password'),
    place('postgresql.password', 'postgresql.password'),
    place('oracle.password', 'oracle.password'),
  ],
  'GCP::Secretmanager::SecretVersion': [kept('payload.data', 'secret_data')],
  'GCP::Sqladmin::Instance': [place('rootPassword', 'root_password')],
  'GCP::Sqladmin::User': [place('password', 'password')],
};
