import type { Family } from './family.ts';

/**
 * Machine types of Compute Engine as "Machine families" lists them (2025). Prices are per vCPU and GiB, which a family has
 * in one ratio, so that they are proportional to vCPUs, but for one with less memory. Custom types and `f1-micro` and
 * `g1-small` are left out.
 */
const family = (
  name: string,
  /** GiB for each vCPU. */
  memory: number,
  vcpus: readonly number[],
): Family => ({
  family: name,
  architecture: 'x86_64',
  sizes: vcpus.map((count) => [
    `${name}-${count}`,
    count,
    // 0.9 GiB times some vCPUs is no double.
    Number((count * memory).toFixed(2)),
    count,
  ]),
});

const withLarger = (of: Family, larger: Family['sizes']): Family => ({
  ...of,
  sizes: [...of.sizes, ...larger],
});

const n1 = [2, 4, 8, 16, 32, 64, 96];
const n2 = [2, 4, 8, 16, 32, 48, 64, 80, 96];
const n2d = [2, 4, 8, 16, 32, 48, 64, 80, 96];
const e2 = [2, 4, 8, 16, 32];

export const gcp: readonly Family[] = [
  family('n1-standard', 3.75, [1, ...n1]),
  family('n1-highmem', 6.5, n1),
  family('n1-highcpu', 0.9, n1),
  family('n2-standard', 4, [...n2, 128]),
  withLarger(family('n2-highmem', 8, n2), [
    // At 0.031611 USD per vCPU and 0.004237 per GiB.
    ['n2-highmem-128', 128, 864, 117.66],
  ]),
  family('n2-highcpu', 1, n2),
  family('n2d-standard', 4, [...n2d, 128, 224]),
  family('n2d-highmem', 8, n2d),
  family('n2d-highcpu', 1, [...n2d, 128, 224]),
  family('e2-standard', 4, e2),
  family('e2-highmem', 8, e2.slice(0, -1)),
  family('e2-highcpu', 1, e2),
  {
    // Two vCPUs of which a share may be used always.
    family: 'e2-shared',
    architecture: 'x86_64',
    sizes: [
      ['e2-micro', 2, 1, 1],
      ['e2-small', 2, 2, 2],
      ['e2-medium', 2, 4, 4],
    ],
    baselines: [0.125, 0.25, 0.5],
  },
];
