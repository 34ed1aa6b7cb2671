import { UnknownValue } from '../../../contract/resources.ts';
import { planned } from '../aws/plan-value.ts';
import { normaliser } from '../normaliser.ts';
import type { Attribute } from '../normaliser.ts';
import {
  at,
  flag,
  hasItems,
  isUnknown,
  mapList,
  or,
  readTags,
  some,
  text,
  textMap,
} from '../values.ts';
import { secretsInAll, userDataAttribute } from '../user-data.ts';
import type { Fields } from '../../json.ts';
import { fromGoogle, givenItem, givenOf, isAsset, itemValue } from './read-google.ts';
import type { Get } from './read-google.ts';

const instanceTemplateType = 'GCP::Compute::InstanceTemplate';

const shieldedSource =
  'Compute Engine API v1 reference, ShieldedInstanceConfig, as of 2025-06: true if the settings omit it';

/** What a VM instance is started with; an instance template has it all for its instances. */
const attributes = {
  public_access: {
    type: 'bool',
    meaning: 'a network interface has an external IP address',
    absent: false,
  },
  service_accounts: { type: 'list', meaning: 'service accounts of the VM instance', absent: [] },
  'service_accounts[].email': {
    type: 'string',
    meaning: 'email address of the service account; `default` if not set',
  },
  'service_accounts[].scopes': {
    type: 'list<string>',
    meaning: 'access scopes as URLs',
    absent: [],
  },
  metadata: {
    type: 'map<string,string>',
    meaning: 'instance metadata, without the project metadata',
    absent: {},
  },
  ...userDataAttribute,
  'shielded.vtpm': {
    type: 'bool',
    meaning: 'vTPM is enabled; unknown in plans and templates without Shielded VM settings',
    absent: false,
    source: shieldedSource,
  },
  'shielded.integrity_monitoring': {
    type: 'bool',
    meaning:
      'integrity monitoring is enabled; unknown in plans and templates without Shielded VM settings',
    absent: false,
    source: shieldedSource,
  },
  'shielded.secure_boot': { type: 'bool', meaning: 'Secure Boot is enabled', absent: false },
} as const satisfies Readonly<Record<string, Attribute>>;

const argumentNames = {
  accessConfigs: 'access_config',
  ipv6AccessConfigs: 'ipv6_access_config',
  serviceAccounts: 'service_account',
  shieldedInstanceConfig: 'shielded_instance_config',
};

/** @param unlessSet what vTPM and integrity monitoring are where nothing is set about Shielded VM */
function readMachine(get: Get, given: Get, unlessSet: boolean | UnknownValue) {
  const metadata = metadataOf(get('metadata'), get('metadataStartupScript'));
  const set = hasItems(get('shieldedInstanceConfig'));
  const shielded = set === true || isUnknown(set) ? set : unlessSet;
  return {
    public_access: some(given('networkInterfaces') ?? given('networkInterface'), (one) =>
      or(
        hasItems(givenItem(one, 'accessConfigs') ?? givenItem(one, 'accessConfig')),
        hasItems(givenItem(one, 'ipv6AccessConfigs') ?? givenItem(one, 'ipv6AccessConfig')),
      ),
    ),
    service_accounts: mapList(given('serviceAccounts') ?? given('serviceAccount'), (one) => ({
      email: text(planned(one, 'email')) || 'default',
      scopes: mapList(itemValue(one, 'scopes'), scopeUrl),
    })),
    metadata,
    'user_data.secrets': secretsInValues(metadata),
    'shielded.vtpm': flag(get('shieldedInstanceConfig', 'enableVtpm')) ?? shielded,
    'shielded.integrity_monitoring':
      flag(get('shieldedInstanceConfig', 'enableIntegrityMonitoring')) ?? shielded,
    'shielded.secure_boot': flag(get('shieldedInstanceConfig', 'enableSecureBoot')),
  };
}

/** Both are on by default where the image can have them; which it can, only the machine that exists shows. */
const imageDecides = new UnknownValue('whether the image supports Shielded VM', { present: false });

export const computeInstance = normaliser({
  types: ['GCP::Compute::Instance'],
  source: 'Compute Engine API v1 reference, instances, as of 2025-06',
  attributes,
  arguments: argumentNames,
  from: fromGoogle((get, raw, related, given) => {
    if (isAsset(raw)) return readMachine(get, given, false);
    const isFromTemplate = raw.source['terraform_type'] === 'google_compute_instance_from_template';
    if (!isFromTemplate || raw.exists === true) return readMachine(get, given, imageDecides);
    const template = related.find(get('sourceInstanceTemplate'), instanceTemplateType);
    const whole = givenOf(withTemplate(raw.properties, template?.properties));
    return readMachine(whole, whole, imageDecides);
  }),
});

export const instanceTemplate = normaliser({
  types: [instanceTemplateType],
  source: 'Compute Engine API v1 reference, instanceTemplates, as of 2025-06',
  attributes,
  arguments: argumentNames,
  // The API has the machine's settings in `properties`, Terraform beside the name.
  from: fromGoogle((get, _raw, _related, given) =>
    readMachine(
      (...path) => get('properties', ...path) ?? get(...path),
      (...path) => get('properties', ...path) ?? given(...path),
      imageDecides,
    ),
  ),
});

const fromTemplate = [
  'network_interface',
  'service_account',
  'metadata',
  'metadata_startup_script',
  'shielded_instance_config',
];

/** An instance's arguments with those that it leaves to its template; not known where that is not in the same input. */
const withTemplate = (own: Fields, template: Fields | undefined): Fields =>
  Object.fromEntries(
    fromTemplate.map((name) => [
      name,
      planned(own, name) ?? (template ? planned(template, name) : notInInput),
    ]),
  );

const notInInput = new UnknownValue('an instance template, which is not in this input', {
  present: false,
});

const scopeBase = 'https://www.googleapis.com/auth/';

/** Short names of scopes that are not the end of their URL. */
const scopeNames: Readonly<Record<string, string>> = {
  'compute-ro': 'compute.readonly',
  'compute-rw': 'compute',
  'logging-write': 'logging.write',
  'monitoring-write': 'monitoring.write',
  'service-control': 'servicecontrol',
  'service-management': 'service.management.readonly',
  'storage-full': 'devstorage.full_control',
  'storage-ro': 'devstorage.read_only',
  'storage-rw': 'devstorage.read_write',
  trace: 'trace.append',
};

function scopeUrl(scope: unknown) {
  const name = text(scope);
  if (name === undefined || isUnknown(name) || name.includes('/')) return name;
  return `${scopeBase}${Object.hasOwn(scopeNames, name) ? scopeNames[name] : name}`;
}

/** Scripts are entries of the metadata, and so is what they read. */
function secretsInValues(metadata: ReturnType<typeof metadataOf>) {
  if (isUnknown(metadata)) return metadata;
  return secretsInAll(Object.values(metadata));
}

/** `{items: [{key, value}]}` of the API, or Terraform's map with the startup script beside it. */
function metadataOf(metadata: unknown, script: unknown) {
  const items = at(metadata, 'items');
  if (isUnknown(items)) return items;
  if (Array.isArray(items)) return readTags(items, 'key', 'value');
  const map = textMap(metadata);
  return isUnknown(map) || script === undefined ? map : { ...map, 'startup-script': script };
}
