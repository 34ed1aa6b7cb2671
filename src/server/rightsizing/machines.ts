import type { KnownResource } from '../../contract/resources.ts';
import { typeKey } from '../../contract/resources.ts';
import { resourceKey } from '../../cost/resource-id.ts';
import { findSize } from '../../cost/rightsizing/catalog.ts';
import { machineTypes, sizeOf } from '../../cost/rightsizing/machine.ts';
import { resources } from '../resources/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';

/** All virtual machines of the inventory; others have their turn in between. */
export async function* allMachines(reader: Reader): AsyncGenerator<KnownResource> {
  const where = { type: { any: machineTypes.map(typeKey) } };
  for await (const { doc } of allRows(reader, resources, where)) yield doc.resource;
}

/** What the utilization of a machine is stored with. */
export interface KnownMachine {
  readonly id: string;
  readonly size: string;
  /** Absent: the catalog lacks the size. */
  readonly memoryBytes: number | undefined;
}

const providers = ['aws', 'azure', 'gcp'];
const gib = 2 ** 30;

/** Finds machines by whatever an export of metrics calls them. */
export class MachinesByName {
  private readonly byName = new Map<string, KnownMachine>();

  static async of(reader: Reader): Promise<MachinesByName> {
    const machines = new MachinesByName();
    for await (const resource of allMachines(reader)) machines.add(resource);
    return machines;
  }

  find(id: string): KnownMachine | undefined {
    const exact = this.byName.get(id);
    if (exact) return exact;
    for (const provider of providers) {
      const key = resourceKey(provider, id);
      const found = key && this.byName.get(`${provider}\0${key.text}`);
      if (found) return found;
    }
    return undefined;
  }

  private add(resource: KnownResource): void {
    const { id, provider, type } = resource;
    const size = sizeOf(resource) ?? '';
    const memory = findSize(provider, size)?.[0].memory_gib;
    const machine = { id, size, memoryBytes: memory === undefined ? undefined : memory * gib };
    this.byName.set(id, machine);
    const key = resourceKey(provider, id, type);
    // A name that several accounts have finds none of them.
    if (key?.isUnique) this.byName.set(`${provider}\0${key.text}`, machine);
  }
}
