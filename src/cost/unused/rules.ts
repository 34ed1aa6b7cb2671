import type { UnusedKind } from '../../contract/cost-unused.ts';
import { typeKey } from '../../contract/resources.ts';
import type { Candidate } from './document.ts';
import { hasAny, isDescribed, listAt, read, saysNone, textAt, timeOf } from './document.ts';

/** Days after which a snapshot is old. */
const snapshotDays = 90;
const day = 86_400_000;

/** Why a resource seems to be unused. */
export interface Unused {
  readonly kind: UnusedKind;
  /** What its document says. */
  readonly reason: string;
  /** Since when, where that is known. */
  readonly since?: string;
  /** ISO 8601: it is unused from then on. Absent: it is now. */
  readonly due?: string;
  /** The disks that cost while their instance is stopped: their IDs. Absent: the resource itself costs. */
  readonly disks?: readonly string[];
}

type Find = (resource: Candidate) => Omit<Unused, 'kind'> | undefined;

interface Rule {
  readonly kind: UnusedKind;
  readonly find: Find;
}

/** Whether a resource seems to be unused. What is not known is never unused. */
export function findUnused(resource: Candidate): Unused | undefined {
  const rule = rules.get(typeKey(resource.type));
  const found = rule?.find(resource);
  return rule && found && { kind: rule.kind, ...found };
}

/** The keys of the types that there is a rule for. */
export const ruledTypes = (): readonly string[] => [...rules.keys()];

/** `since`, where it is a time. */
const since = (text: string): { readonly since?: string } => {
  const time = timeOf(text);
  return time === undefined ? {} : { since: time };
};

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** A state that AWS writes as a word, or as an object with its name. */
const stateOf = (document: unknown): string =>
  textAt(document, 'state') ||
  textAt(document, 'state', 'name') ||
  textAt(document, 'state', 'value');

const old = (created: string, source: string): Omit<Unused, 'kind'> | undefined => {
  const from = timeOf(created);
  if (from === undefined) return undefined;
  const due = new Date(Date.parse(from) + snapshotDays * day).toISOString();
  const of = source === '' ? '' : ` of ${source}`;
  return { reason: `snapshot${of} that is over ${snapshotDays} days old`, since: from, due };
};

const strings = (values: readonly unknown[]): string[] =>
  values.filter((value) => typeof value === 'string' && value !== '') as string[]; // as filtered

const stopped = (state: string, from: string, disks: readonly unknown[]) => ({
  reason: `instance is stopped (${state}); its disks are charged`,
  ...since(from),
  disks: strings(disks),
});

/** `User initiated (2026-01-31 10:00:00 GMT)` */
const stoppedAt = (reason: string): string => {
  const [, at = '', time = ''] = /\((\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) (?:GMT|UTC)\)/.exec(reason) ?? []; // prettier-ignore
  return at === '' ? '' : `${at}T${time}Z`;
};

const rules = new Map<string, Rule>(
  (
    [
      [
        'AWS::EC2::Volume',
        'unattached_volume',
        (resource) => {
          const state = stateOf(resource.properties);
          const isFree = state === 'available' && !hasAny(resource.properties, 'attachments');
          if (isFree) return { reason: 'volume is not attached (state: available)' };
          return isDescribed(resource) && resource['attached'] === false
            ? { reason: 'volume is not attached' }
            : undefined;
        },
      ],
      [
        'AWS::EC2::EIP',
        'unused_address',
        (resource) => {
          const { properties } = resource;
          if (isDescribed(resource)) {
            return resource['associated'] === false
              ? { reason: 'address is not associated' }
              : undefined;
          }
          const names = ['associationId', 'instanceId', 'networkInterfaceId', 'association_id', 'instance', 'network_interface']; // prettier-ignore
          const address = textAt(properties, 'publicIp') || textAt(properties, 'public_ip');
          const isFree =
            address !== '' &&
            names.some((name) => saysNone(properties, name)) &&
            !names.some((name) => hasAny(properties, name));
          return isFree ? { reason: 'address is not associated with an instance' } : undefined;
        },
      ],
      [
        'AWS::EC2::Instance',
        'stopped_instance',
        (resource) => {
          const { properties } = resource;
          const own = isDescribed(resource) ? textAt(resource, 'state') : '';
          const state = stateOf(properties) || textAt(properties, 'instance_state') || own;
          if (state !== 'stopped') return undefined;
          const disks = [
            ...listAt(properties, 'blockDeviceMappings').map((one) => read(one, 'ebs', 'volumeId')),
            ...listAt(properties, 'root_block_device').map((one) => read(one, 'volume_id')),
            ...listAt(properties, 'ebs_block_device').map((one) => read(one, 'volume_id')),
          ];
          return stopped(state, stoppedAt(textAt(properties, 'stateTransitionReason')), disks);
        },
      ],
      [
        'AWS::EC2::Snapshot',
        'old_snapshot',
        ({ properties }) => old(textAt(properties, 'startTime'), textAt(properties, 'volumeId')),
      ],
      [
        'AWS::ElasticLoadBalancing::LoadBalancer',
        'idle_load_balancer',
        (resource) =>
          saysNone(resource.properties, 'instances') || hasNoTargets(resource)
            ? { reason: 'load balancer has no instances' }
            : undefined,
      ],
      [
        'AWS::ElasticLoadBalancingV2::LoadBalancer',
        'idle_load_balancer',
        (resource) =>
          hasNoTargets(resource) ? { reason: 'load balancer has no targets' } : undefined,
      ],
      [
        'Azure::Compute::disks',
        'unattached_volume',
        (resource) => {
          const { properties } = resource;
          if (same(textAt(properties, 'diskState'), 'Unattached')) {
            return {
              reason: 'disk is not attached (diskState: Unattached)',
              ...since(textAt(properties, 'lastOwnershipUpdateTime')),
            };
          }
          return isDescribed(resource) && resource['attached'] === false
            ? { reason: 'disk is not attached' }
            : undefined;
        },
      ],
      [
        'Azure::Network::publicIPAddresses',
        'unused_address',
        (resource) => {
          const { properties } = resource;
          if (isDescribed(resource)) {
            return resource['associated'] === false
              ? { reason: 'address is not associated' }
              : undefined;
          }
          const isFree =
            isDeployed(resource) &&
            ![
              'ipConfiguration',
              'natGateway',
              'linkedPublicIPAddress',
              'servicePublicIPAddress',
            ].some((name) => hasAny(properties, name));
          return isFree
            ? { reason: 'address has neither an IP configuration nor a NAT gateway' }
            : undefined;
        },
      ],
      [
        'Azure::Compute::virtualMachines',
        'stopped_instance',
        ({ properties }) => {
          const codes = [
            textAt(properties, 'extended', 'instanceView', 'powerState', 'code'),
            ...listAt(properties, 'instanceView', 'statuses').map((one) => textAt(one, 'code')),
          ];
          const code = codes.find((one) => /^PowerState\/deallocated$/i.test(one));
          if (code === undefined) return undefined;
          const disks = [
            read(properties, 'storageProfile', 'osDisk', 'managedDisk', 'id'),
            ...listAt(properties, 'storageProfile', 'dataDisks').map((one) =>
              read(one, 'managedDisk', 'id'),
            ),
          ];
          return stopped(code, '', disks);
        },
      ],
      [
        'Azure::Compute::snapshots',
        'old_snapshot',
        ({ properties }) =>
          old(
            textAt(properties, 'timeCreated'),
            textAt(properties, 'creationData', 'sourceResourceId'),
          ),
      ],
      [
        'Azure::Network::loadBalancers',
        'idle_load_balancer',
        (resource) => {
          const pools = listAt(resource.properties, 'backendAddressPools');
          const isIdle =
            isDeployed(resource) &&
            Array.isArray(read(resource.properties, 'backendAddressPools')) &&
            !pools.some((pool) =>
              ['backendIPConfigurations', 'loadBalancerBackendAddresses'].some((name) =>
                hasAny(pool, 'properties', name),
              ),
            ) &&
            !listAt(resource.properties, 'inboundNatRules').some((rule) =>
              hasAny(rule, 'properties', 'backendIPConfiguration'),
            );
          return isIdle || hasNoTargets(resource)
            ? { reason: 'load balancer has no backends' }
            : undefined;
        },
      ],
      [
        'GCP::Compute::Disk',
        'unattached_volume',
        (resource) => {
          const { properties } = resource;
          const isDeployedDisk = textAt(properties, 'status') === 'READY' || saysNone(properties, 'users'); // prettier-ignore
          if (isDeployedDisk && !hasAny(properties, 'users')) {
            return {
              reason: 'no resource uses the disk',
              ...since(textAt(properties, 'lastDetachTimestamp')),
            };
          }
          return isDescribed(resource) && resource['attached'] === false
            ? { reason: 'disk is not attached' }
            : undefined;
        },
      ],
      ['GCP::Compute::Address', 'unused_address', googleAddress],
      ['GCP::Compute::GlobalAddress', 'unused_address', googleAddress],
      [
        'GCP::Compute::Instance',
        'stopped_instance',
        ({ properties }) => {
          const state = textAt(properties, 'status') || textAt(properties, 'current_status');
          if (state !== 'TERMINATED' && state !== 'STOPPED') return undefined;
          const disks = listAt(properties, 'disks').map((one) => read(one, 'source'));
          return stopped(state, textAt(properties, 'lastStopTimestamp'), disks);
        },
      ],
      [
        'GCP::Compute::Snapshot',
        'old_snapshot',
        ({ properties }) =>
          old(
            textAt(properties, 'creationTimestamp') || textAt(properties, 'creation_timestamp'),
            textAt(properties, 'sourceDisk') || textAt(properties, 'source_disk'),
          ),
      ],
    ] as readonly (readonly [string, UnusedKind, Find])[]
  ).map(([type, kind, find]) => [typeKey(type), { kind, find }]),
);

function googleAddress(resource: Candidate) {
  if (isDescribed(resource)) {
    return resource['associated'] === false ? { reason: 'address is not associated' } : undefined;
  }
  const { properties } = resource;
  return textAt(properties, 'status') === 'RESERVED' && !hasAny(properties, 'users')
    ? { reason: 'address is reserved, but no resource uses it' }
    : undefined;
}

/** Its user says so: no provider's document of a load balancer has its targets. */
function hasNoTargets(resource: Candidate): boolean {
  return isDescribed(resource) && saysNone(resource, 'targets');
}

/** Azure says this of what exists, and templates never do: then what is not mentioned is not there. */
function isDeployed({ properties }: Candidate): boolean {
  return textAt(properties, 'provisioningState') === 'Succeeded';
}
