import type { Family } from './family.ts';

/**
 * Sizes of Azure virtual machines as "Sizes for virtual machines" lists them (2025). Prices of a series are proportional
 * to vCPUs, but for B, whose prices of East US are given in hundredths of a dollar. Constrained (`E4-2s_v5`) and isolated
 * sizes and Bsv2 are left out.
 */
const series = (
  /** `D*s_v5`: the vCPUs in the place of the star. */
  pattern: string,
  /** GiB for each vCPU. */
  memory: number,
  vcpus: readonly number[],
  /** Sizes that have another memory: GiB by vCPUs. */
  others: Readonly<Record<number, number>> = {},
  architecture: Family['architecture'] = 'x86_64',
): Family => ({
  family: `Standard_${pattern.replace('*', '')}`,
  architecture,
  sizes: vcpus.map((count) => [
    `Standard_${pattern.replace('*', String(count))}`,
    count,
    others[count] ?? count * memory,
    count,
  ]),
});

const general = [2, 4, 8, 16, 32, 48, 64];
const general96 = [...general, 96];
const memory = [2, 4, 8, 16, 20, 32, 48, 64];
const memory96 = [...memory, 96];

export const azure: readonly Family[] = [
  ...['D*_v3', 'D*s_v3', 'D*_v4', 'D*s_v4', 'D*d_v4', 'D*ds_v4'].map((name) =>
    series(name, 4, general),
  ),
  ...['D*a_v4', 'D*as_v4', 'D*as_v5', 'D*ads_v5'].map((name) => series(name, 4, general96)),
  ...['D*_v5', 'D*s_v5', 'D*d_v5', 'D*ds_v5'].map((name) => series(name, 4, general96)),

  ...['E*_v3', 'E*s_v3'].map((name) => series(name, 8, memory, { 64: 432 })),
  ...['E*_v4', 'E*s_v4', 'E*d_v4', 'E*ds_v4'].map((name) => series(name, 8, memory, { 64: 504 })),
  ...['E*a_v4', 'E*as_v4', 'E*as_v5', 'E*ads_v5'].map((name) =>
    series(name, 8, memory96, { 96: 672 }),
  ),
  ...['E*_v5', 'E*s_v5', 'E*d_v5', 'E*ds_v5'].map((name) => series(name, 8, memory96, { 96: 672 })),

  // Ampere Altra, with `p`.
  ...['D*ps_v5', 'D*pds_v5'].map((name) => series(name, 4, general, { 64: 208 }, 'arm64')),
  ...['D*pls_v5', 'D*plds_v5'].map((name) => series(name, 2, general, {}, 'arm64')),
  ...['E*ps_v5', 'E*pds_v5'].map((name) =>
    series(name, 8, [2, 4, 8, 16, 20, 32], { 32: 208 }, 'arm64'),
  ),

  series('F*s_v2', 2, [2, 4, 8, 16, 32, 48, 64, 72]),

  {
    family: 'Standard_B',
    architecture: 'x86_64',
    sizes: [
      ['Standard_B1ls', 1, 0.5, 0.52],
      ['Standard_B1s', 1, 1, 1.04],
      ['Standard_B1ms', 1, 2, 2.07],
      ['Standard_B2s', 2, 4, 4.16],
      ['Standard_B2ms', 2, 8, 8.32],
      ['Standard_B4ms', 4, 16, 16.6],
      ['Standard_B8ms', 8, 32, 33.3],
      ['Standard_B12ms', 12, 48, 49.9],
      ['Standard_B16ms', 16, 64, 66.6],
      ['Standard_B20ms', 20, 80, 83.2],
    ],
    baselines: [0.05, 0.1, 0.2, 0.2, 0.3, 0.225, 0.168, 0.168, 0.168, 0.168],
  },
];
