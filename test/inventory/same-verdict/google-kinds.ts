// What a resource of Google Cloud can be set to, in Terraform and in an export of Cloud Asset Inventory. `absent` is what
// Google Cloud does where nothing is set.
import { Reference } from '../attributes/aws/twins.ts';
import type { Fields, Kind, Setting, Value } from './kind.ts';
import { as, both, choice, kind, setting, tagsAs, unsaid } from './kind.ts';
import { put } from './spelled.ts';

/** A switch that the API words, and Terraform, too; on, off. */
const words = (on: string, off: string) => [
  as(true, { item: on, plan: on }),
  as(false, { item: off, plan: off }),
];

/** The same, with labels below an attribute of another name. */
const labels = (
  item: (given: Fields) => Fields = (given) => ({ labels: given }),
  plan = item,
): Setting => tagsAs(() => ({}), plan, item);

const keyName = 'projects/acme/locations/europe-west3/keyRings/shop/cryptoKeys/orders';

/** A key of the customer's own, by its path in the API and in Terraform. */
const key = (property: string, native: Fields = { customer_managed: true }): Setting =>
  setting(
    'encryption',
    property,
    [as(native, { item: keyName, plan: keyName })],
    unsaid({ customer_managed: false }),
  );

interface Grant {
  readonly role: string;
  readonly members: readonly string[];
  readonly condition?: string;
}

const grants: readonly Grant[] = [
  { role: 'roles/viewer', members: ['group:finance@example.com'] },
  { role: 'roles/editor', members: ['allUsers'] },
  { role: 'roles/run.invoker', members: ['allUsers'] },
  {
    role: 'roles/owner',
    members: ['user:a@example.com'],
    condition: 'request.time < timestamp("2027-01-01T00:00:00Z")',
  },
];

const withCondition = ({ condition, ...grant }: Grant): Fields => ({
  ...grant,
  ...(condition === undefined ? {} : { condition: { title: 'until', expression: condition } }),
});

/**
 * Who may do what: the asset's IAM policy, or in Terraform members, bindings or a policy that stand beside.
 * @param terraform the first part of their types; `argument` names what they are about
 */
const access = (terraform: string, argument: string, to: string): Setting => {
  const part = (form: string, fields: Fields): Pick<Value, 'beside'> => ({
    beside: {
      plan: { [`${terraform}_iam_${form}.it`]: { [argument]: new Reference(to), ...fields } },
    },
  });
  const block = ({ role, members, condition }: Grant): Fields => ({
    role,
    ...(members.length === 1 ? { member: members[0] } : { members }),
    ...(condition === undefined ? {} : { condition: [{ title: 'until', expression: condition }] }),
  });
  return choice(
    'access',
    grants.flatMap((grant) => {
      const told = {
        native: { iam: { bindings: [grant] } },
        item: { iamPolicy: { bindings: [withCondition(grant)] } },
      };
      const { member, ...rest } = block(grant);
      return [
        { ...told, ...part('member', { member, ...rest }) },
        { ...told, ...part('binding', { members: grant.members, ...rest }) },
        {
          ...told,
          ...part('policy', { policy_data: JSON.stringify({ bindings: [withCondition(grant)] }) }),
        },
      ];
    }),
    { native: { iam: { bindings: [] } } },
  );
};

const office = '203.0.113.0/24';

const storage: readonly Kind[] = [
  kind('GCP::Storage::Bucket', 'google_storage_bucket', [
    access('google_storage_bucket', 'bucket', 'google_storage_bucket.it.name'),
    setting(
      'public_access_prevention',
      'iamConfiguration.publicAccessPrevention',
      words('enforced', 'inherited'),
      as(false, { item: 'inherited', plan: 'inherited' }),
      { plan: 'public_access_prevention' },
    ),
    setting(
      'uniform_bucket_level_access',
      'iamConfiguration.uniformBucketLevelAccess.enabled',
      both,
      false,
      {
        plan: 'uniform_bucket_level_access',
      },
    ),
    setting('versioning.enabled', 'versioning.enabled', both, false),
    key('encryption.defaultKmsKeyName', { customer_managed: true, kms_key_id: keyName }),
    setting('object_lock.enabled', 'retentionPolicy.isLocked', both, false),
    setting(
      'object_lock.retention_days',
      'retentionPolicy.retentionPeriod',
      [30, 365].map((days) => as(days, { item: String(days * 86_400), plan: days * 86_400 })),
    ),
    setting(
      'logging.enabled',
      'logging.logBucket',
      [as(true, { item: 'logs', plan: 'logs' })],
      unsaid(false),
    ),
    labels(),
  ]),
  kind(
    'GCP::Bigquery::Dataset',
    'google_bigquery_dataset',
    [
      access('google_bigquery_dataset', 'dataset_id', 'google_bigquery_dataset.it.dataset_id'),
      key('defaultEncryptionConfiguration.kmsKeyName'),
      labels(),
    ],
    { always: { plan: { dataset_id: 'it' } } },
  ),
  kind(
    'GCP::Bigquery::Dataset',
    'google_bigquery_dataset',
    [
      choice(
        'access entries',
        [
          [
            { role: 'READER', specialGroup: 'allAuthenticatedUsers' },
            'roles/bigquery.dataViewer',
            'allAuthenticatedUsers',
          ],
          [
            { role: 'WRITER', userByEmail: 'a@example.com' },
            'roles/bigquery.dataEditor',
            'user:a@example.com',
          ],
          [
            { role: 'OWNER', groupByEmail: 'g@example.com' },
            'roles/bigquery.dataOwner',
            'group:g@example.com',
          ],
          [{ role: 'READER', iamMember: 'allUsers' }, 'roles/bigquery.dataViewer', 'allUsers'],
          [
            { role: 'READER', domain: 'example.com' },
            'roles/bigquery.dataViewer',
            'domain:example.com',
          ],
        ].map(([entry, role, member]) => ({
          native: { iam: { bindings: [{ role, members: [member] }] } },
          item: { access: [entry] },
          plan: { access: [inSnakeCase(entry as Fields)] },
        })),
        { native: { iam: { bindings: [] } } },
      ),
    ],
    { always: { plan: { dataset_id: 'it' } } },
  ),
];

function inSnakeCase(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

const inSettings = (given: Fields): Fields => ({ settings: { userLabels: given } });

const databases: readonly Kind[] = [
  kind('GCP::Sqladmin::Instance', 'google_sql_database_instance', [
    setting('public_access', 'settings.ipConfiguration.ipv4Enabled', [false, true], true),
    setting(
      'network.allowed_cidrs',
      'settings.ipConfiguration.authorizedNetworks',
      [office, '0.0.0.0/0'].map((cidr) =>
        as([cidr], { item: [{ value: cidr }], plan: [{ value: cidr }] }),
      ),
      as([], { item: [], plan: [] }),
    ),
    setting(
      'tls.required',
      'settings.ipConfiguration.sslMode',
      [
        'ENCRYPTED_ONLY',
        'TRUSTED_CLIENT_CERTIFICATE_REQUIRED',
        'ALLOW_UNENCRYPTED_AND_ENCRYPTED',
      ].map((mode) => as(!mode.startsWith('ALLOW'), { item: mode, plan: mode })),
      as(false, {
        item: 'ALLOW_UNENCRYPTED_AND_ENCRYPTED',
        plan: 'ALLOW_UNENCRYPTED_AND_ENCRYPTED',
      }),
    ),
    setting('backup.enabled', 'settings.backupConfiguration.enabled', both, false),
    choice(
      'point-in-time recovery',
      [
        ...both.map((on) =>
          recovery('pointInTimeRecoveryEnabled', 'point_in_time_recovery_enabled', on),
        ),
        recovery('binaryLogEnabled', 'binary_log_enabled', true),
      ],
      { native: { backup: { point_in_time_recovery: false } } },
    ),
    setting(
      'multi_az',
      'settings.availabilityType',
      words('REGIONAL', 'ZONAL'),
      as(false, { item: 'ZONAL', plan: 'ZONAL' }),
    ),
    setting('deletion_protection', 'settings.deletionProtectionEnabled', both, false),
    labels(inSettings, (given) => ({ settings: [{ user_labels: given }] })),
  ]),
  kind('GCP::Sqladmin::Instance', 'google_sql_database_instance', [
    setting('tls.required', 'settings.ipConfiguration.requireSsl', both, false),
    setting('replica_of', 'masterInstanceName', ['primary']),
  ]),
  kind('GCP::Redis::Instance', 'google_redis_instance', [
    setting('auth.enabled', 'authEnabled', both, false),
    setting(
      'tls.required',
      'transitEncryptionMode',
      words('SERVER_AUTHENTICATION', 'DISABLED'),
      as(false, { item: 'DISABLED', plan: 'DISABLED' }),
    ),
    labels(),
  ]),
];

function recovery(item: string, plan: string, on: boolean): Value {
  return {
    native: { backup: { point_in_time_recovery: on } },
    item: { settings: { backupConfiguration: { [item]: on } } },
    plan: { settings: [{ backup_configuration: [{ [plan]: on }] }] },
  };
}

const keys: readonly Kind[] = [
  kind('GCP::Cloudkms::CryptoKey', 'google_kms_crypto_key', [
    access('google_kms_crypto_key', 'crypto_key_id', 'google_kms_crypto_key.it.id'),
    setting('purpose', 'purpose', ['ENCRYPT_DECRYPT', 'ASYMMETRIC_SIGN'], 'ENCRYPT_DECRYPT'),
    setting(
      'rotation',
      'rotationPeriod',
      [90, 400].map((days) => {
        const period = `${days * 86_400}s`;
        return as({ enabled: true, interval_days: days }, { item: period, plan: period });
      }),
      unsaid({ enabled: false }),
    ),
    labels(),
  ]),
  kind(
    'GCP::Iam::ServiceAccountKey',
    'google_service_account_key',
    [
      setting(
        'created_at',
        'validAfterTime',
        ['2025-01-01T00:00:00Z', '2025-12-01T00:00:00Z'],
        undefined,
        {
          plan: 'valid_after',
          differs: 'Google Cloud says it of each.',
        },
      ),
    ],
    {
      always: {
        item: { keyType: 'USER_MANAGED' },
        plan: { service_account_id: 'web@acme.iam.gserviceaccount.com' },
      },
    },
  ),
];

const messaging: readonly Kind[] = [
  kind('GCP::Pubsub::Topic', 'google_pubsub_topic', [
    access('google_pubsub_topic', 'topic', 'google_pubsub_topic.it.name'),
    key('kmsKeyName'),
    labels(),
  ]),
];

interface Opening {
  readonly action: 'allow' | 'deny';
  readonly direction: 'INGRESS' | 'EGRESS';
  readonly protocol: string;
  readonly ports: readonly string[];
  readonly ranges: readonly string[];
  readonly tags?: readonly string[];
}

const openings: readonly Opening[] = [
  { action: 'allow', direction: 'INGRESS', protocol: 'tcp', ports: ['22'], ranges: ['10.0.0.0/8'] },
  {
    action: 'allow',
    direction: 'INGRESS',
    protocol: 'tcp',
    ports: ['22', '3380-3390'],
    ranges: ['0.0.0.0/0'],
  },
  { action: 'allow', direction: 'INGRESS', protocol: 'all', ports: [], ranges: ['0.0.0.0/0'] },
  { action: 'allow', direction: 'INGRESS', protocol: 'tcp', ports: ['3306'], ranges: [] },
  { action: 'allow', direction: 'INGRESS', protocol: 'udp', ports: [], ranges: [], tags: ['web'] },
  { action: 'deny', direction: 'INGRESS', protocol: 'all', ports: [], ranges: ['0.0.0.0/0'] },
  { action: 'allow', direction: 'EGRESS', protocol: 'tcp', ports: ['443'], ranges: ['0.0.0.0/0'] },
];

const firewallRule = ({
  action,
  direction,
  protocol,
  ports,
  ranges,
  tags = [],
}: Opening): Value => {
  const side = direction === 'INGRESS' ? 'source' : 'destination';
  const rules = (ports.length > 0 ? ports : ['0-65535']).map((range) => {
    const [from, to] = range.split('-').map(Number);
    return {
      access: action,
      protocol,
      from_port: from,
      to_port: to ?? from,
      cidrs: ranges.length === 0 && tags.length === 0 ? ['0.0.0.0/0'] : ranges,
      groups: tags,
      priority: 1000,
    };
  });
  const withPorts = ports.length > 0 ? { ports } : {};
  return {
    native: {
      ingress: direction === 'INGRESS' ? rules : [],
      egress: direction === 'EGRESS' ? rules : [],
    },
    item: {
      direction,
      priority: 1000,
      [action === 'allow' ? 'allowed' : 'denied']: [{ IPProtocol: protocol, ...withPorts }],
      ...(ranges.length > 0 ? { [`${side}Ranges`]: ranges } : {}),
      ...(tags.length > 0 ? { sourceTags: tags } : {}),
    },
    plan: {
      direction,
      priority: 1000,
      [action]: [{ protocol, ...withPorts }],
      ...(ranges.length > 0 ? { [`${side}_ranges`]: ranges } : {}),
      ...(tags.length > 0 ? { source_tags: tags } : {}),
    },
  };
};

const tlsVersions = [
  as('1.2', { item: 'TLS_1_2', plan: 'TLS_1_2' }),
  as('1.0', { item: 'TLS_1_0', plan: 'TLS_1_0' }),
];

const network: readonly Kind[] = [
  kind('GCP::Compute::Firewall', 'google_compute_firewall', [
    choice('rule', openings.map(firewallRule), {}, {}, 'Google Cloud asks for it.'),
    setting('disabled', 'disabled', both, false),
  ]),
  kind('GCP::Compute::Network', 'google_compute_network', [
    setting('auto_create_subnetworks', 'autoCreateSubnetworks', [false, true], true),
  ]),
  kind('GCP::Compute::Subnetwork', 'google_compute_subnetwork', [
    choice(
      'flow logs',
      [
        {
          native: { flow_logs: { enabled: true } },
          item: { logConfig: { enable: true } },
          plan: { log_config: [{ aggregation_interval: 'INTERVAL_5_SEC' }] },
        },
      ],
      {
        native: { flow_logs: { enabled: false } },
        item: { logConfig: { enable: false } },
        plan: { log_config: [] },
      },
    ),
    setting('private_google_access', 'privateIpGoogleAccess', both, false),
    setting(
      'purpose',
      'purpose',
      ['PRIVATE', 'REGIONAL_MANAGED_PROXY', 'PRIVATE_SERVICE_CONNECT'],
      'PRIVATE',
    ),
  ]),
  ...(['google_compute_ssl_policy', 'google_compute_region_ssl_policy'] as const).map((terraform) =>
    kind('GCP::Compute::SslPolicy', terraform, [
      setting('tls.minimum_version', 'minTlsVersion', tlsVersions, tlsVersions[1]),
      setting(
        'tls.profile',
        'profile',
        ['RESTRICTED', 'MODERN', 'COMPATIBLE', 'CUSTOM'],
        'COMPATIBLE',
      ),
    ]),
  ),
  kind('GCP::Dns::ManagedZone', 'google_dns_managed_zone', [
    setting('visibility', 'visibility', ['private', 'public'], 'public'),
    setting(
      'dnssec.enabled',
      'dnssecConfig.state',
      words('on', 'off'),
      as(false, { item: 'off', plan: 'off' }),
    ),
    labels(),
  ]),
];

const interfaces = (external: Fields): Value => ({
  native: { public_access: Object.keys(external).length > 0 },
  item: { networkInterfaces: [{ network: 'shop', ...external }] },
  plan: {
    network_interface: [{ network: 'shop', ...inSnakeCase(external) }],
  },
});

const scope = 'https://www.googleapis.com/auth/';

const computing = (terraform: string, always: Value = {}): Kind =>
  kind(
    'GCP::Compute::Instance',
    terraform,
    [
      choice(
        'address',
        [
          interfaces({}),
          {
            ...interfaces({ accessConfigs: [{ type: 'ONE_TO_ONE_NAT' }] }),
            plan: {
              network_interface: [
                { network: 'shop', access_config: [{ network_tier: 'PREMIUM' }] },
              ],
            },
          },
        ],
        { native: { public_access: false } },
      ),
      choice(
        'service account',
        [
          ['web@acme.iam.gserviceaccount.com', 'cloud-platform', 'cloud-platform'],
          ['1234-compute@developer.gserviceaccount.com', 'cloud-platform', 'cloud-platform'],
          ['1234-compute@developer.gserviceaccount.com', 'devstorage.read_only', 'storage-ro'],
        ].map(([email, name = '', short]) => ({
          native: { service_accounts: [{ email, scopes: [`${scope}${name}`] }] },
          item: { serviceAccounts: [{ email, scopes: [`${scope}${name}`] }] },
          plan: { service_account: [{ email, scopes: [short] }] },
        })),
        { native: { service_accounts: [] } },
      ),
      choice(
        'metadata',
        [
          { 'enable-oslogin': 'TRUE', 'block-project-ssh-keys': 'true' },
          { 'serial-port-enable': 'true', 'enable-oslogin': 'FALSE' },
          { 'startup-script': 'export DB_PASSWORD=hunter2hunter2' },
        ].map((metadata) => ({
          native: {
            metadata,
            user_data: { secrets: 'startup-script' in metadata ? ['password'] : [] },
          },
          item: {
            metadata: {
              items: Object.entries(metadata).map(([name, value]) => ({ key: name, value })),
            },
          },
          plan: { metadata },
        })),
        { native: { metadata: {}, user_data: { secrets: [] } } },
      ),
      choice(
        'shielded',
        both.flatMap((boot) =>
          both.map((others) => ({
            native: { shielded: { secure_boot: boot, vtpm: others, integrity_monitoring: others } },
            item: {
              shieldedInstanceConfig: {
                enableSecureBoot: boot,
                enableVtpm: others,
                enableIntegrityMonitoring: others,
              },
            },
            plan: {
              shielded_instance_config: [
                {
                  enable_secure_boot: boot,
                  enable_vtpm: others,
                  enable_integrity_monitoring: others,
                },
              ],
            },
          })),
        ),
        {},
        {},
        'The image decides.',
      ),
      labels(),
    ],
    { always },
  );

const compute: readonly Kind[] = [
  computing('google_compute_instance'),
  computing('google_compute_instance_from_template', {
    plan: { source_instance_template: new Reference('google_compute_instance_template.shop.id') },
    beside: { plan: { 'google_compute_instance_template.shop': { name: 'shop' } } },
  }),
];

const containers: readonly Kind[] = [
  kind('GCP::Container::Cluster', 'google_container_cluster', [
    setting(
      'public_access',
      'privateClusterConfig.enablePrivateEndpoint',
      [as(false, { item: true, plan: true }), as(true, { item: false, plan: false })],
      as(true, { item: false, plan: false }),
    ),
    choice(
      'authorized networks',
      [
        authorized([office]),
        authorized(['0.0.0.0/0']),
        {
          native: { network: { allowed_cidrs: [] } },
          item: { masterAuthorizedNetworksConfig: { enabled: true } },
          plan: { master_authorized_networks_config: [{ cidr_blocks: [] }] },
        },
      ],
      {
        native: { network: { allowed_cidrs: ['0.0.0.0/0', '::/0'] } },
        item: { masterAuthorizedNetworksConfig: { enabled: false } },
      },
    ),
    choice('network policy', [
      {
        native: { network: { policy: 'dataplane-v2' } },
        item: { networkConfig: { datapathProvider: 'ADVANCED_DATAPATH' } },
        plan: { datapath_provider: 'ADVANCED_DATAPATH' },
      },
      {
        native: { network: { policy: 'calico' } },
        item: { networkPolicy: { enabled: true, provider: 'CALICO' } },
        plan: { network_policy: [{ enabled: true, provider: 'CALICO' }] },
      },
    ]),
    setting('private_nodes', 'privateClusterConfig.enablePrivateNodes', both, false),
    setting(
      'workload_identity.enabled',
      'workloadIdentityConfig.workloadPool',
      [as(true, { item: 'acme.svc.id.goog', plan: 'acme.svc.id.goog' })],
      unsaid(false),
    ),
    setting('legacy_abac', 'legacyAbac.enabled', [false, true], false, {
      plan: 'enable_legacy_abac',
    }),
    setting(
      'encryption.customer_managed',
      'databaseEncryption.state',
      words('ENCRYPTED', 'DECRYPTED'),
      as(false, { item: 'DECRYPTED', plan: 'DECRYPTED' }),
    ),
    labels(
      (given) => ({ resourceLabels: given }),
      (given) => ({ resource_labels: given }),
    ),
  ]),
  kind(
    'GCP::Container::Cluster',
    'google_container_cluster',
    [
      setting('legacy_abac', 'legacyAbac.enabled', [false, true], false, {
        plan: 'enable_legacy_abac',
      }),
    ],
    {
      always: {
        native: { workload_identity: { enabled: true }, network: { policy: 'dataplane-v2' } },
        item: { autopilot: { enabled: true } },
        plan: { enable_autopilot: true },
      },
    },
  ),
  kind('GCP::Container::NodePool', 'google_container_node_pool', [
    setting('auto_upgrade', 'management.autoUpgrade', both, undefined, {
      differs: 'The cluster decides.',
    }),
    setting('auto_repair', 'management.autoRepair', both, undefined, {
      differs: 'The cluster decides.',
    }),
  ]),
];

function authorized(cidrs: readonly string[]): Value {
  return {
    native: { network: { allowed_cidrs: cidrs } },
    item: {
      masterAuthorizedNetworksConfig: {
        enabled: true,
        cidrBlocks: cidrs.map((cidr) => ({ cidrBlock: cidr })),
      },
    },
    plan: {
      master_authorized_networks_config: [
        { cidr_blocks: cidrs.map((cidr) => ({ cidr_block: cidr })) },
      ],
    },
  };
}

/** Who may reach it: from everywhere, or inside. */
const ingress = (path: string, all: string, internal: string, balancer: string): Setting =>
  setting(
    'ingress_mode',
    path,
    [
      as('internal', { item: internal, plan: internal }),
      as('internal-and-cloud-load-balancing', { item: balancer, plan: balancer }),
      as('all', { item: all, plan: all }),
    ],
    as('all', { item: all, plan: all }),
  );

const names = ['LOG_LEVEL', 'DB_PASSWORD', 'DB_SECRET_NAME'] as const;

/** The variables of a function. */
const variables = (path: string): Setting =>
  setting(
    'environment_variables',
    path,
    names.map((name) => ({ [name]: 'hunter22' })),
    {},
  );

/** A container with a variable, by the path of containers and the name of a variable's secret, in the API and in a plan. */
function oneContainer(
  paths: readonly [item: string, plan: string],
  [inItem, inPlan]: readonly [string, string],
): Setting {
  const secrets = {
    [inItem]: { secretKeyRef: { secret: 'db' } },
    [inPlan]: [{ secret_key_ref: [{ secret: 'db' }] }],
  };
  const value = (name: string, isPlain: boolean): Value => {
    const container = (source: string) => {
      const given = isPlain ? { value: 'hunter22' } : { [source]: secrets[source] };
      return [{ name: 'web', image: 'shop/web', env: [{ name, ...given }] }];
    };
    const plain = isPlain ? { [name]: 'hunter22' } : {};
    return {
      native: { containers: [{ name: 'web', image: 'shop/web', environment_variables: plain }] },
      item: put(paths[0], container(inItem)),
      plan: put(paths[1], container(inPlan)),
    };
  };
  const values = [...names.map((name) => value(name, true)), value('DB_PASSWORD', false)];
  return choice('containers', values, { native: { containers: [] } });
}

const serverless: readonly Kind[] = [
  kind('GCP::Cloudfunctions::CloudFunction', 'google_cloudfunctions_function', [
    variables('environmentVariables'),
    labels(),
  ]),
  kind('GCP::Cloudfunctions::Function', 'google_cloudfunctions2_function', [
    variables('serviceConfig.environmentVariables'),
    access(
      'google_cloudfunctions2_function',
      'cloud_function',
      'google_cloudfunctions2_function.it.name',
    ),
    ingress(
      'serviceConfig.ingressSettings',
      'ALLOW_ALL',
      'ALLOW_INTERNAL_ONLY',
      'ALLOW_INTERNAL_AND_GCLB',
    ),
    labels(),
  ]),
  kind('GCP::Run::Job', 'google_cloud_run_v2_job', [
    oneContainer(
      ['template.template.containers', 'template[].template[].containers'],
      ['valueSource', 'value_source'],
    ),
    labels(),
  ]),
  kind('GCP::Run::Service', 'google_cloud_run_v2_service', [
    oneContainer(['template.containers', 'template[].containers'], ['valueSource', 'value_source']),
    access('google_cloud_run_v2_service', 'name', 'google_cloud_run_v2_service.it.name'),
    ingress(
      'ingress',
      'INGRESS_TRAFFIC_ALL',
      'INGRESS_TRAFFIC_INTERNAL_ONLY',
      'INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER',
    ),
    choice(
      'invoker_iam_check',
      both.map((isOff) => ({
        native: { invoker_iam_check: !isOff },
        item: { invokerIamDisabled: isOff },
        plan: { invoker_iam_disabled: isOff },
      })),
      { native: { invoker_iam_check: true } },
    ),
    labels(),
  ]),
  kind('GCP::Run::Service', 'google_cloud_run_service', [
    oneContainer(
      ['spec.template.spec.containers', 'template[].spec[].containers'],
      ['valueFrom', 'value_from'],
    ),
    access('google_cloud_run_service', 'service', 'google_cloud_run_service.it.name'),
    choice(
      'ingress',
      ['internal', 'internal-and-cloud-load-balancing', 'all'].map((mode) => {
        const annotations = { 'run.googleapis.com/ingress': mode };
        return {
          native: { ingress_mode: mode },
          item: { metadata: { annotations } },
          plan: { metadata: [{ annotations }] },
        };
      }),
      { native: { ingress_mode: 'all' } },
    ),
  ]),
];

const operations: readonly Kind[] = [
  ...['project', 'folder', 'organization', 'billing_account'].map((scope) =>
    kind('GCP::Logging::LogBucket', `google_logging_${scope}_bucket_config`, [
      setting('retention_days', 'retentionDays', [365, 90, 30], 30),
      setting('locked', 'locked', both, false),
    ]),
  ),
  kind(
    'GCP::Cloudresourcemanager::Project',
    'google_project',
    [access('google_project', 'project', 'google_project.it.project_id'), labels()],
    { always: { item: { projectId: 'it' }, plan: { project_id: 'it' } } },
  ),
  kind(
    'GCP::Cloudresourcemanager::Project',
    'google_project',
    [
      choice(
        'audit logs',
        [
          ['allServices', ['ADMIN_READ', 'DATA_READ', 'DATA_WRITE'], []],
          ['allServices', ['DATA_WRITE'], []],
          ['allServices', ['ADMIN_READ', 'DATA_READ', 'DATA_WRITE'], ['user:a@example.com']],
          ['storage.googleapis.com', ['DATA_READ'], []],
        ].map(([service, types, exempted]) =>
          auditConfig(String(service), types as string[], exempted as string[]),
        ),
        { native: { audit_configs: [] } },
      ),
    ],
    { always: { item: { projectId: 'it' }, plan: { project_id: 'it' } } },
  ),
];

function auditConfig(
  service: string,
  types: readonly string[],
  exempted: readonly string[],
): Value {
  const [first] = types;
  const of = (type: string, name: string) =>
    type === first && exempted.length > 0 ? { [name]: exempted } : {};
  return {
    native: { audit_configs: [{ service, log_types: types, exempted_members: exempted }] },
    item: {
      iamPolicy: {
        auditConfigs: [
          {
            service,
            auditLogConfigs: types.map((type) => ({
              logType: type,
              ...of(type, 'exemptedMembers'),
            })),
          },
        ],
      },
    },
    beside: {
      plan: {
        'google_project_iam_audit_config.it': {
          project: new Reference('google_project.it.project_id'),
          service,
          audit_log_config: types.map((type) => ({
            log_type: type,
            ...of(type, 'exempted_members'),
          })),
        },
      },
    },
  };
}

export const googleKinds: readonly Kind[] = [
  ...storage,
  ...databases,
  ...keys,
  ...messaging,
  ...network,
  ...compute,
  ...containers,
  ...serverless,
  ...operations,
];
