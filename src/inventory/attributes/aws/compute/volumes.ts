import { defined } from '../../../../contract/defined.ts';
import { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import type { Attribute } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at, flag, isUnknown, joinLists, list, mapList, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { encryptedByDefault, isEncrypted } from '../ebs-encryption.ts';
import { planned } from '../plan-value.ts';

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
  'root_volume.encryption.enabled': {
    type: 'bool',
    meaning:
      "the root volume is encrypted, by its block device mapping or by the account's default; false if neither says so, because its image decides then",
    absent: false,
    source: rootSource,
  },
} as const satisfies Readonly<Record<string, Attribute>>;

interface Volume {
  readonly device?: unknown;
  readonly encryption: { readonly enabled: unknown };
}

type Volumes = readonly (Volume | UnknownValue)[] | UnknownValue;

const volume = (device: unknown, encrypted: unknown): Volume => ({
  ...defined({ device }),
  encryption: { enabled: encrypted ?? false },
});

/** Volumes of the API's block device mappings. Mappings without EBS name instance store, or take a device away. */
export function mappedVolumes(mappings: unknown, raw: RawResource, related: Related) {
  const items = list(mappings);
  if (isUnknown(items)) return withRoot(items, undefined, raw, related);
  const volumes = items
    .filter((one) => isUnknown(one) || field(one, 'Ebs') !== undefined)
    .map((one) =>
      isUnknown(one)
        ? one
        : volume(
            text(field(one, 'DeviceName')),
            isEncrypted(
              field(one, 'Ebs', 'Encrypted'),
              field(one, 'Ebs', 'SnapshotId'),
              raw,
              related,
            ),
          ),
    );
  return withRoot(volumes, undefined, raw, related);
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
  const plannedVolume = (mapping: unknown, ebs: unknown) =>
    volume(
      text(planned(mapping, 'device_name')),
      isEncrypted(planned(ebs, 'encrypted'), planned(ebs, 'snapshot_id'), raw, related),
    );
  const blocks = (name: string) => mapList(planned(own, name), (one) => plannedVolume(one, one));
  const root = blocks('root_block_device');
  const ofTemplate = list(planned(template, 'block_device_mappings'));
  const volumes = joinLists<Volume>(
    root,
    blocks('ebs_block_device'),
    isUnknown(ofTemplate)
      ? ofTemplate
      : ofTemplate.flatMap((one) =>
          planned(one, 'ebs') === undefined ? [] : [plannedVolume(one, planned(one, 'ebs'))],
        ),
  );
  return withRoot(volumes, isUnknown(root) ? root : root[0], raw, related);
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
  if (isUnknown(root)) return { volumes, 'root_volume.encryption.enabled': root };
  if (isUnknown(volumes) || root === undefined)
    return { volumes, 'root_volume.encryption.enabled': rootOf(volumes) };
  const found = volumes.find(({ device }) => device === root);
  return { volumes, 'root_volume.encryption.enabled': found?.encryption.enabled };
}

const withRoot = (
  volumes: Volumes,
  root: Volume | UnknownValue | undefined,
  raw: RawResource,
  related: Related,
) => ({
  volumes,
  'root_volume.encryption.enabled':
    (isUnknown(root) ? root : root?.encryption.enabled) ??
    rootOf(volumes) ??
    isEncrypted(undefined, undefined, raw, related),
});

/** What images call their root device: those of Amazon Linux, and the others. */
const rootDevices = ['/dev/xvda', '/dev/sda1'];

/** Whether the mapped root volume is encrypted; undefined if none is mapped; unknown if one may be. */
function rootOf(volumes: Volumes): unknown {
  if (isUnknown(volumes)) return volumes;
  const isRoot = (one: Volume | UnknownValue): one is Volume =>
    !isUnknown(one) && typeof one.device === 'string' && rootDevices.includes(one.device);
  const mayBeRoot = (one: Volume | UnknownValue) => isUnknown(one) || isUnknown(one.device);
  const found = volumes.find(isRoot);
  if (found) return found.encryption.enabled;
  const possible = volumes.find(mayBeRoot);
  return isUnknown(possible) ? possible : possible?.device;
}
