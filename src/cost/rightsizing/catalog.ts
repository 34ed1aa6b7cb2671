import { aws } from './aws.ts';
import { azure } from './azure.ts';
import type { Architecture, Family } from './family.ts';
import { gcp } from './gcp.ts';

/** A published size. */
export interface Size {
  readonly provider: string;
  readonly name: string;
  readonly family: string;
  readonly architecture: Architecture;
  readonly vcpus: number;
  readonly memory_gib: number;
  /** Relative to the other sizes of its family. */
  readonly price: number;
  /** The share of its vCPUs that may be used always: 1, but for burstable sizes. */
  readonly baseline: number;
}

export const families: Readonly<Record<string, readonly Family[]>> = { aws, azure, gcp };

const sizesOf = (provider: string, { family, architecture, sizes, baselines }: Family): Size[] =>
  sizes.map(([name, vcpus, memory, price], at) => ({
    provider,
    name,
    family,
    architecture,
    vcpus,
    memory_gib: memory,
    price,
    baseline: baselines?.[at] ?? 1,
  }));

/** By provider and name in lower case: Azure does not distinguish case. */
const byName = new Map<string, readonly [size: Size, family: readonly Size[]]>();
for (const [provider, all] of Object.entries(families)) {
  for (const family of all) {
    const sizes = sizesOf(provider, family);
    for (const size of sizes) byName.set(`${provider} ${size.name.toLowerCase()}`, [size, sizes]);
  }
}

/** A size and all of its family, or undefined where the catalog lacks it. */
export const findSize = (
  provider: string,
  name: string,
): readonly [size: Size, family: readonly Size[]] | undefined =>
  byName.get(`${provider} ${name.toLowerCase()}`);
