import type { KnownResource } from '../../contract/resources.ts';

/** Types of resources that have a size, as inventories name them. */
export const machineTypes = [
  'AWS::EC2::Instance',
  'Azure::Compute::virtualMachines',
  'GCP::Compute::Instance',
] as const;

/** Where inventories, templates and exports have the size of a machine. */
const places = [
  ['instance_type'],
  ['vm_size'],
  ['machine_type'],
  ['properties', 'InstanceType'],
  ['properties', 'instanceType'],
  ['properties', 'instance_type'],
  ['properties', 'hardwareProfile', 'vmSize'],
  ['properties', 'vm_size'],
  ['properties', 'size'],
  ['properties', 'machineType'],
  ['properties', 'machine_type'],
] as const;

const own = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;

const textAt = (resource: KnownResource, place: readonly string[]): string | undefined => {
  const value = place.reduce(own, resource as unknown);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Google has it as a URL: `…/zones/z/machineTypes/n2-standard-4`. */
const nameIn = (text: string): string => text.slice(text.lastIndexOf('/') + 1);

/** The size of a machine: `m5.large`. */
export function sizeOf(resource: KnownResource): string | undefined {
  for (const place of places) {
    const text = textAt(resource, place);
    if (text !== undefined) return nameIn(text);
  }
  return undefined;
}

/** A merge patch that sets another size wherever the resource has one. */
export function resizing(resource: KnownResource, size: string): Readonly<Record<string, unknown>> {
  const patch: Record<string, unknown> = {};
  for (const place of places) {
    const text = textAt(resource, place);
    if (text === undefined) continue;
    let into = patch;
    for (const key of place.slice(0, -1)) into = (into[key] ??= {}) as Record<string, unknown>;
    into[place.at(-1) ?? ''] = text.slice(0, text.lastIndexOf('/') + 1) + size;
  }
  return patch;
}

const stopped = /stopped|deallocated|terminated|suspended/i;

/** Whether it is known not to run: such a one is unused, not too large. */
export const isStopped = (resource: KnownResource): boolean =>
  [
    ['state'],
    ['status'],
    ['power_state'],
    ['properties', 'State', 'Name'],
    ['properties', 'state', 'name'],
    ['properties', 'state'],
    ['properties', 'status'],
    ['properties', 'instance_state'],
    ['properties', 'powerState'],
    ['properties', 'extended', 'instanceView', 'powerState', 'code'],
  ].some((place) => stopped.test(textAt(resource, place) ?? ''));
