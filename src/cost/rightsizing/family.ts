export type Architecture = 'x86_64' | 'arm64';

/** Sizes of one family, the smallest first, as a provider publishes them. */
export interface Family {
  /** `m5`, `Standard_Dsv5`, `n2-standard`. */
  readonly family: string;
  readonly architecture: Architecture;
  /** Full names and vCPUs, GiB of memory, and the price in any unit of the family. */
  readonly sizes: readonly (readonly [
    name: string,
    vcpus: number,
    memory: number,
    price: number,
  ])[];
  /** Of families whose vCPUs may be used in full for some time only: the share of each that may be used always, by size. */
  readonly baselines?: readonly number[];
}
