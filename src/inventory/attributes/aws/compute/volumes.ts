import { defined } from '../../../../contract/defined.ts';
import { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import type { Attribute } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at, flag, isGiven, isUnknown, joinLists, mapList, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { encryptedByDefault, isEncrypted } from '../ebs-encryption.ts';
import { configured, planned, plannedBlock } from '../plan-value.ts';

const rootSource =
  'Amazon EC2 User Guide, Block device mappings, API version 2016-11-15: a volume without a mapping is as its image has it';

/** The EBS volumes that a machine is started with. */
export const volumeAttributes = {
  volumes: { type: 'list', meaning: 'EBS volumes in the block device mappings', absent: [] },
  'volumes[].device': { type: 'string', meaning: 'device name' },
  'volumes[].encryption.enabled': {
    type: 'bool',
    meaning: 'the volume is encrypted',
    absent: false,
    source: encryptedByDefault,
  },
  'root_volume.mapped': {
    type: 'bool',
    meaning:
      'a block device mapping sets up the root volume: `root_block_device` in Terraform, else the device /dev/xvda or /dev/sda1',
    absent: false,
  },
  'root_volume.encryption.enabled': {
    type: 'bool',
    meaning:
      "the root volume is encrypted by its mapping or by the account's default; false if neither says so, because its image decides then",
    absent: false,
    source: rootSource,
  },
} as const satisfies Readonly<Record<string, Attribute>>;

/** A block device mapping. */
interface Mapping {
  readonly device: unknown;
  /** Whether it surely is the root device's, whatever that is called. */
  readonly isRoot: boolean;
  /** Absent: the device is instance store, or taken away. */
  readonly volume: Volume | undefined;
}

interface Volume {
  readonly device?: unknown;
  readonly encryption: { readonly enabled: unknown };
}

type Mappings = readonly (Mapping | UnknownValue)[] | UnknownValue;

const volume = (device: unknown, encrypted: unknown): Volume => ({
  ...defined({ device }),
  encryption: { enabled: encrypted ?? false },
});

/**
 * Volumes of the API's block device mappings.
 *
 * @param own mappings of the machine itself, which come before those of its launch template
 */
export function mappedVolumes(own: unknown, template: unknown, raw: RawResource, related: Related) {
  const read = (mappings: unknown): Mappings =>
    mapKnown(mappings, (one) => {
      const device = text(field(one, 'DeviceName'));
      const ebs = field(one, 'Ebs');
      const encrypted = (): unknown =>
        isEncrypted(field(ebs, 'Encrypted'), field(ebs, 'SnapshotId'), raw, related);
      const made = ebs === undefined ? undefined : volume(device, encrypted());
      return { device, isRoot: false, volume: made };
    });
  return volumesOf(merged(read(own), read(template)), raw, related);
}

/**
 * Volumes of a plan.
 *
 * @param own blocks of the resource itself: `root_block_device` and `ebs_block_device`
 * @param template blocks of a launch template: `block_device_mappings`
 */
export function plannedVolumes(
  own: unknown,
  template: unknown,
  raw: RawResource,
  related: Related,
) {
  const encrypted = (ebs: unknown): unknown =>
    isEncrypted(planned(ebs, 'encrypted'), planned(ebs, 'snapshot_id'), raw, related);
  const block = (one: unknown, isRoot: boolean): Mapping => {
    const device = text(planned(one, 'device_name'));
    const isTaken = flag(planned(one, 'no_device')) === true;
    return { device, isRoot, volume: isTaken ? undefined : volume(device, encrypted(one)) };
  };
  const root = mapKnown(planned(own, 'root_block_device'), (one) => block(one, true));
  const others = mapKnown(planned(own, 'ebs_block_device'), (one) => block(one, false));
  const ofTemplate = mapKnown(configured(template, 'block_device_mappings'), (one) => {
    const device = text(planned(one, 'device_name'));
    const ebs = plannedBlock(one, 'ebs');
    const made = ebs === undefined ? undefined : volume(device, encrypted(ebs));
    return { device, isRoot: false, volume: made };
  });
  return volumesOf(merged(joinLists(root, others), ofTemplate), raw, related);
}

/** An instance's item names its volumes; whether they are encrypted is in theirs. */
export function attachedVolumes({ properties }: RawResource, related: Related) {
  const volumes = mapList(at(properties, 'blockDeviceMappings'), (one) => {
    const id = at(one, 'ebs', 'volumeId');
    const found = related.find(id, 'AWS::EC2::Volume');
    return volume(
      at(one, 'deviceName'),
      found
        ? flag(at(found.properties, 'encrypted'))
        : new UnknownValue('a volume that is not in this input', { present: false }),
    );
  });
  const root = at(properties, 'rootDeviceName');
  const isRoot = ({ device }: Volume): boolean =>
    root === undefined ? isRootDevice(device) : device === root;
  return {
    volumes,
    // Of a machine that runs, the mappings show all volumes: without an EBS root, it has instance store.
    'root_volume.mapped': isGiven(at(properties, 'blockDeviceMappings')),
    'root_volume.encryption.enabled': isUnknown(root)
      ? root
      : isUnknown(volumes)
        ? volumes
        : volumes.find(isRoot)?.encryption.enabled,
  };
}

const mapKnown = (value: unknown, make: (one: unknown) => Mapping): Mappings =>
  mapList(value, (one) => (isUnknown(one) ? one : make(one)));

/** A mapping counts more than the template's of the same device; the others add to each other. */
function merged(own: Mappings, template: Mappings): Mappings {
  if (isUnknown(own) || isUnknown(template)) return joinLists(own, template);
  const known = own.filter(isKnown);
  const devices = new Set(known.map(({ device }) => device).filter(isText));
  const hasRoot = known.some(({ isRoot }) => isRoot);
  const isOverridden = ({ device }: Mapping): boolean =>
    isText(device) && (devices.has(device) || (hasRoot && isRootDevice(device)));
  return [...own, ...template.filter((one) => isUnknown(one) || !isOverridden(one))];
}

function volumesOf(mappings: Mappings, raw: RawResource, related: Related) {
  if (isUnknown(mappings)) {
    const root = { 'root_volume.mapped': mappings, 'root_volume.encryption.enabled': mappings };
    return { volumes: mappings, ...root };
  }
  const known = mappings.filter(isKnown);
  const root = known.find(({ device, isRoot }) => isRoot || isRootDevice(device))?.volume;
  const unknown = mappings.find(isUnknown) ?? known.find(({ device }) => isUnknown(device))?.device;
  return {
    volumes: mappings.flatMap((one) => (isUnknown(one) ? one : (one.volume ?? []))),
    'root_volume.mapped': root ? true : (unknown ?? false),
    'root_volume.encryption.enabled':
      root?.encryption.enabled ?? unknown ?? isEncrypted(undefined, undefined, raw, related),
  };
}

const isKnown = (one: Mapping | UnknownValue): one is Mapping => !isUnknown(one);

const isText = (value: unknown): value is string => typeof value === 'string';

/** What images call their root device: those of Amazon Linux, and the others. */
const isRootDevice = (device: unknown): boolean => device === '/dev/xvda' || device === '/dev/sda1';
