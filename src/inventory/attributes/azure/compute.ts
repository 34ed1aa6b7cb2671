import { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource } from '../../model.ts';
import { configured, planned } from '../aws/plan-value.ts';
import { normaliser } from '../normaliser.ts';
import type { Attribute } from '../normaliser.ts';
import type { Related } from '../related.ts';
import {
  and,
  eitherWord,
  flag,
  hasItems,
  isGiven,
  isOneOf,
  isUnknown,
  list,
  not,
  or,
  readJson,
  some,
  text,
} from '../values.ts';
import { secretsInAll, userDataAttribute } from '../user-data.ts';
import { at, isEnabled, isListed, itemsOrOne } from './read-azure.ts';

export const disks = normaliser({
  types: ['Azure::Compute::disks'],
  source: 'Azure Resource Manager template reference, Microsoft.Compute/disks, 2023-04-02',
  attributes: {
    attached: { type: 'bool', meaning: 'managedBy is set', absent: false },
    public_access: {
      type: 'bool',
      meaning: 'publicNetworkAccess is not Disabled and networkAccessPolicy is AllowAll',
      absent: true,
    },
    'encryption.customer_managed': {
      type: 'bool',
      meaning: 'the disk uses a disk encryption set with a customer-managed key',
      absent: false,
    },
  },
  arguments: {
    networkAccessPolicy: 'network_access_policy',
    'publicNetworkAccess: Disabled': 'public_network_access_enabled = false',
  },
  from: {
    azure: (raw, related) => ({
      attached: or(
        isGiven(at(raw.properties, 'managedBy')),
        related.referring(raw, 'Azure::Compute::virtualMachines', diskIds).length > 0,
      ),
      public_access: and(
        isEnabled(at(raw.properties, 'publicNetworkAccess')) ?? true,
        allowsAll(at(raw.properties, 'networkAccessPolicy')) ?? true,
      ),
      'encryption.customer_managed': or(
        isGiven(at(raw.properties, 'encryption', 'diskEncryptionSetId')),
        isOneOf(
          at(raw.properties, 'encryption', 'type'),
          'EncryptionAtRestWithCustomerKey',
          'EncryptionAtRestWithPlatformAndCustomerKeys',
        ),
      ),
    }),
    terraform: (raw, related) => ({
      attached:
        related.referring(raw, 'Azure::Azurerm::virtual_machine_data_disk_attachment', attachedDisk)
          .length > 0,
      public_access: and(
        flag(planned(raw.properties, 'public_network_access_enabled')) ?? true,
        allowsAll(planned(raw.properties, 'network_access_policy')) ?? true,
      ),
      'encryption.customer_managed': isGiven(planned(raw.properties, 'disk_encryption_set_id')),
    }),
  },
});

const allowsAll = (policy: unknown) =>
  eitherWord(policy, ['AllowAll'], ['AllowPrivate', 'DenyAll']);

const attachedDisk = (part: RawResource): unknown => part.properties['managed_disk_id'];

const diskIds = ({ properties }: RawResource): unknown[] =>
  [
    at(properties, 'storageProfile', 'osDisk'),
    ...itemsOrOne(at(properties, 'storageProfile', 'dataDisks')),
  ].map((disk) => lowered(at(disk, 'managedDisk', 'id')));

/** Ids differ in case; readers keep those of live resources in lower case too. */
const lowered = (id: unknown): unknown => (typeof id === 'string' ? id.toLowerCase() : id);

/** What machines are made with: one by one, or by a scale set. */
const machineAttributes = {
  os: { type: 'string', meaning: '`linux` or `windows`', spelling: ['linux', 'windows'] },
  password_auth: {
    type: 'bool',
    meaning:
      'password sign-in is allowed: on Linux, if disablePasswordAuthentication is not true; on Windows, always',
    absent: true,
  },
  'encryption.at_host': { type: 'bool', meaning: 'encryption at host is on', absent: false },
  public_access: {
    type: 'bool',
    meaning: 'a network interface has a public IP address',
    absent: false,
  },
  ...userDataAttribute,
} as const satisfies Readonly<Record<string, Attribute>>;

export const virtualMachines = normaliser({
  types: ['Azure::Compute::virtualMachines'],
  source:
    'Azure Resource Manager template reference, Microsoft.Compute/virtualMachines, 2024-03-01',
  attributes: machineAttributes,
  arguments: {
    disablePasswordAuthentication: {
      azurerm_linux_virtual_machine: 'disable_password_authentication',
      azurerm_virtual_machine: 'os_profile_linux_config.disable_password_authentication',
    },
    'securityProfile.encryptionAtHost': {
      azurerm_linux_virtual_machine: 'encryption_at_host_enabled',
      azurerm_windows_virtual_machine: 'encryption_at_host_enabled',
      azurerm_virtual_machine:
        'encryption_at_host_enabled of azurerm_linux_virtual_machine or azurerm_windows_virtual_machine',
    },
  },
  from: {
    azure: (raw, related) => {
      const { properties } = raw;
      return {
        // Azure shows neither of what exists.
        'user_data.secrets': isListed(raw)
          ? undefined
          : ofBoth(at(properties, 'osProfile', 'customData'), at(properties, 'userData')),
        ...signIn(properties),
        'encryption.at_host': flag(at(properties, 'securityProfile', 'encryptionAtHost')),
        public_access: or(
          some(at(properties, 'networkProfile', 'networkInterfaces'), (one) =>
            isPublic(lowered(at(one, 'id')), related),
          ),
          asksForAddress(properties),
        ),
      };
    },
    terraform: ({ properties, source }, related) => {
      const type = String(source['terraform_type']);
      const interfaces = list(planned(properties, 'network_interface_ids'));
      return {
        'user_data.secrets': ofBoth(
          planned(properties, 'custom_data') ?? planned(properties, 'os_profile', 'custom_data'),
          planned(properties, 'user_data'),
        ),
        ...plannedSignIn(type, properties),
        'encryption.at_host': flag(planned(properties, 'encryption_at_host_enabled')),
        public_access: or(
          ...(isUnknown(interfaces) ? [interfaces] : interfaces).map((id) => isPublic(id, related)),
        ),
      };
    },
  },
});

/** The machines that a scale set makes. */
export const scaleSets = normaliser({
  types: ['Azure::Compute::virtualMachineScaleSets'],
  source:
    'Azure Resource Manager template reference, Microsoft.Compute/virtualMachineScaleSets, 2024-03-01',
  attributes: machineAttributes,
  arguments: {
    disablePasswordAuthentication: {
      azurerm_linux_virtual_machine_scale_set: 'disable_password_authentication',
      azurerm_orchestrated_virtual_machine_scale_set:
        'os_profile.linux_configuration.disable_password_authentication',
      azurerm_virtual_machine_scale_set: 'os_profile_linux_config.disable_password_authentication',
    },
    publicIPAddressConfiguration: {
      azurerm_linux_virtual_machine_scale_set:
        'network_interface.ip_configuration.public_ip_address',
      azurerm_windows_virtual_machine_scale_set:
        'network_interface.ip_configuration.public_ip_address',
      azurerm_orchestrated_virtual_machine_scale_set:
        'network_interface.ip_configuration.public_ip_address',
      azurerm_virtual_machine_scale_set:
        'network_profile.ip_configuration.public_ip_address_configuration',
    },
    'securityProfile.encryptionAtHost': {
      azurerm_linux_virtual_machine_scale_set: 'encryption_at_host_enabled',
      azurerm_windows_virtual_machine_scale_set: 'encryption_at_host_enabled',
      azurerm_orchestrated_virtual_machine_scale_set: 'encryption_at_host_enabled',
      azurerm_virtual_machine_scale_set:
        'encryption_at_host_enabled of azurerm_linux_virtual_machine_scale_set or azurerm_windows_virtual_machine_scale_set',
    },
  },
  from: {
    azure: (raw) => {
      const profile = at(raw.properties, 'virtualMachineProfile');
      if (profile === undefined) return withoutProfile;
      return {
        // Azure shows neither of what exists.
        'user_data.secrets': isListed(raw)
          ? undefined
          : secretsInAll([
              at(profile, 'osProfile', 'customData'),
              at(profile, 'userData'),
              ...itemsOrOne(at(profile, 'extensionProfile', 'extensions')).flatMap((one) =>
                isUnknown(one) ? [one] : commandsOf(at(one, 'properties')),
              ),
            ]),
        ...signIn(profile),
        'encryption.at_host': flag(at(profile, 'securityProfile', 'encryptionAtHost')),
        public_access: asksForAddress(profile),
      };
    },
    terraform: ({ properties, source }) => {
      const type = String(source['terraform_type']);
      if (
        type.includes('_orchestrated_') &&
        profileBlocks.every((name) => hasItems(configured(properties, name)) === false)
      )
        return withoutProfile;
      return {
        'user_data.secrets': secretsInAll([
          planned(properties, 'custom_data') ?? planned(properties, 'os_profile', 'custom_data'),
          planned(properties, 'user_data') ?? planned(properties, 'user_data_base64'),
          ...itemsOrOne(planned(properties, 'extension')).flatMap((one) =>
            isUnknown(one) ? [one] : plannedCommandsOf(one),
          ),
        ]),
        ...plannedSignIn(type, properties),
        'encryption.at_host': flag(planned(properties, 'encryption_at_host_enabled')),
        public_access: some(
          configured(properties, 'network_interface') ?? configured(properties, 'network_profile'),
          (one) =>
            some(configured(one, 'ip_configuration'), (ip) =>
              or(
                hasItems(configured(ip, 'public_ip_address')),
                hasItems(configured(ip, 'public_ip_address_configuration')),
              ),
            ),
        ),
      };
    },
  },
});

/** One of these is set where an orchestrated scale set has a profile for its machines. */
const profileBlocks = [
  'sku_name',
  'os_profile',
  'network_interface',
  'user_data_base64',
  'extension',
];

/** A scale set that makes no machines: nothing is wrong with any of none, and those that are added to it say what they are. */
const withoutProfile = {
  password_auth: false,
  'encryption.at_host': true,
  public_access: false,
  'user_data.secrets': [],
};

/** What an extension has machines run, a script above all. */
export const machineExtensions = normaliser({
  types: [
    'Azure::Compute::virtualMachines/extensions',
    'Azure::Compute::virtualMachineScaleSets/extensions',
  ],
  source:
    'Azure Resource Manager template reference, Microsoft.Compute/virtualMachines/extensions, 2024-03-01',
  attributes: userDataAttribute,
  from: {
    azure: ({ properties }) => ({ 'user_data.secrets': secretsInAll(commandsOf(properties)) }),
    terraform: ({ properties }) => ({
      'user_data.secrets': secretsInAll(plannedCommandsOf(properties)),
    }),
  },
});

const commandsOf = (extension: unknown) =>
  textsOf(at(extension, 'settings'), at(extension, 'protectedSettings'));

const plannedCommandsOf = (extension: unknown) =>
  textsOf(
    asDocument(planned(extension, 'settings')),
    asDocument(planned(extension, 'protected_settings')),
  );

const asDocument = (value: unknown): unknown =>
  typeof value === 'string' && /^\s*\{/.test(value) ? readJson(value) : value;

/** Protected settings are as plain as the others where they are written; what a deployment fills in there is protected. */
const textsOf = (settings: unknown, protectedSettings: unknown) => [
  ...textsIn(settings),
  ...textsIn(protectedSettings).filter((one) => !isUnknown(one) || one.text !== undefined),
];

/** All texts of a document, and what of it is not known. */
function textsIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null || isUnknown(value)) return [value];
  return Object.values(value).flatMap(textsIn);
}

/** What a machine gets at its start, and what it can read later. */
function ofBoth(customData: unknown, userData: unknown) {
  return secretsInAll([customData, userData]);
}

/** A machine's operating system, and whether it takes passwords. */
function signIn(properties: unknown) {
  const os = osOf(properties);
  return {
    os,
    password_auth: isUnknown(os) ? os : os === 'windows' ? true : takesPasswords(properties),
  };
}

function plannedSignIn(type: string, properties: unknown) {
  const os = plannedOs(type, properties);
  return { os, password_auth: os === 'windows' ? true : not(plannedKeysOnly(type, properties)) };
}

function plannedKeysOnly(type: string, properties: unknown) {
  if (type.includes('_orchestrated_')) {
    const profile = configured(properties, 'os_profile');
    if (hasItems(profile) === false) return noOsProfile;
    const linux = configured(profile, 'linux_configuration');
    const unknown = [profile, linux].find(isUnknown);
    // The provider's own default, here and below.
    return unknown ?? flag(planned(linux, 'disable_password_authentication')) ?? true;
  }
  return (
    flag(planned(properties, 'disable_password_authentication')) ??
    flag(planned(properties, 'os_profile_linux_config', 'disable_password_authentication')) ??
    type.includes('_linux_')
  );
}

/** Whether a network interface that is made with its machine asks for a public address. */
const asksForAddress = (properties: unknown) =>
  some(at(properties, 'networkProfile', 'networkInterfaceConfigurations'), (one) =>
    some(at(one, 'properties', 'ipConfigurations'), (ip) =>
      isGiven(at(ip, 'properties', 'publicIPAddressConfiguration')),
    ),
  );

function osOf(properties: unknown) {
  const type = at(properties, 'storageProfile', 'osDisk', 'osType');
  if (isUnknown(type)) return type;
  if (typeof type === 'string') return type.toLowerCase();
  if (isGiven(at(properties, 'osProfile', 'linuxConfiguration')) === true) return 'linux';
  if (isGiven(at(properties, 'osProfile', 'windowsConfiguration')) === true) return 'windows';
  const image = at(properties, 'storageProfile', 'imageReference');
  return osOfImage(at(image, 'publisher')) ?? osNotTold;
}

const osNotTold = new UnknownValue('the operating system (osType)');

const windowsPublishers = /^MicrosoftWindows/i;
const linuxPublishers =
  /^(?:canonical|openlogic|redhat|rhel|suse|debian|credativ|coreos|oracle|almalinux|resf|rockylinux|kinvolk|microsoftcblmariner|erockyenterprisesoftwarefoundation.*)$/i;

/** The operating system of an image; undefined if its publisher is not known, or publishes both. */
function osOfImage(publisher: unknown): string | undefined {
  if (typeof publisher !== 'string') return undefined;
  if (windowsPublishers.test(publisher)) return 'windows';
  return linuxPublishers.test(publisher) ? 'linux' : undefined;
}

function plannedOs(type: string, properties: unknown) {
  if (type.includes('_linux_')) return 'linux';
  if (type.includes('_windows_')) return 'windows';
  if (hasItems(planned(properties, 'os_profile_windows_config')) === true) return 'windows';
  if (hasItems(planned(properties, 'os_profile_linux_config')) === true) return 'linux';
  const profile = configured(properties, 'os_profile');
  if (isUnknown(profile)) return profile;
  if (hasItems(planned(profile, 'windows_configuration')) === true) return 'windows';
  if (hasItems(planned(profile, 'linux_configuration')) === true) return 'linux';
  const disk =
    text(planned(properties, 'storage_profile_os_disk', 'os_type')) ??
    text(planned(properties, 'storage_os_disk', 'os_type'));
  if (typeof disk === 'string' && disk !== '') return disk.toLowerCase();
  const image =
    planned(properties, 'storage_image_reference') ??
    planned(properties, 'storage_profile_image_reference') ??
    planned(properties, 'source_image_reference');
  return osOfImage(planned(image, 'publisher')) ?? osNotTold;
}

const noOsProfile = new UnknownValue(
  'the operating system of the disk, because the VM has no osProfile',
);

/** A machine without an OS profile is made of a disk that somebody prepared: nothing says who may sign in. */
function takesPasswords(properties: unknown) {
  const profile = at(properties, 'osProfile');
  if (profile === undefined) return noOsProfile;
  return not(flag(at(profile, 'linuxConfiguration', 'disablePasswordAuthentication')));
}

/** Whether the network interface of an id has a public address; unknown where it is not in the same input. */
function isPublic(id: unknown, related: Related) {
  const found = related.find(id);
  if (!found)
    return isUnknown(id)
      ? id
      : new UnknownValue('the network interface, which is not in this input');
  return or(
    some(at(found.properties, 'ipConfigurations'), (one) =>
      isGiven(at(one, 'properties', 'publicIPAddress')),
    ),
    some(at(found.properties, 'ip_configuration'), (one) =>
      isGiven(planned(one, 'public_ip_address_id')),
    ),
  );
}
