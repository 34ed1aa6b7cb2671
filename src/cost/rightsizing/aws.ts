import type { Family } from './family.ts';

/**
 * Sizes of Amazon EC2 as its documentation lists them ("Instance types", 2025). On-demand prices of a family are
 * proportional to vCPUs in every region, but for t2, whose prices of us-east-1 are given in hundredths of a dollar. Bare
 * metal and sizes of flexible families (m7i-flex) are left out.
 */
const vcpusOf = (size: string): number => {
  if (size === 'medium') return 1;
  if (size === 'large') return 2;
  return 4 * Number(size.replace('xlarge', '') || 1);
};

const family = (
  name: string,
  architecture: Family['architecture'],
  /** GiB for each vCPU. */
  memory: number,
  sizes: string,
): Family => ({
  family: name,
  architecture,
  sizes: sizes.split(' ').map((size) => {
    const vcpus = vcpusOf(size);
    return [`${name}.${size}`, vcpus, vcpus * memory, vcpus];
  }),
});

const to16 = 'large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge';
const to24 = `${to16} 24xlarge`;
const to32 = `${to24} 32xlarge`;
const intel7 = `${to24} 48xlarge`;
const amd6 = `${to32} 48xlarge`;
const graviton = `medium ${to16}`;
const graviton8 = `medium ${to24} 48xlarge`;
const compute5 = 'large xlarge 2xlarge 4xlarge 9xlarge 12xlarge 18xlarge 24xlarge';

/** Memory and price double from size to size, vCPUs do not. */
const burstable = (name: string, architecture: Family['architecture']): Family => ({
  family: name,
  architecture,
  sizes: [
    [`${name}.nano`, 2, 0.5, 1],
    [`${name}.micro`, 2, 1, 2],
    [`${name}.small`, 2, 2, 4],
    [`${name}.medium`, 2, 4, 8],
    [`${name}.large`, 2, 8, 16],
    [`${name}.xlarge`, 4, 16, 32],
    [`${name}.2xlarge`, 8, 32, 64],
  ],
  baselines: [0.05, 0.1, 0.2, 0.2, 0.3, 0.4, 0.4],
});

export const aws: readonly Family[] = [
  family('m4', 'x86_64', 4, 'large xlarge 2xlarge 4xlarge 10xlarge 16xlarge'),
  ...['m5', 'm5a', 'm5d', 'm5ad', 'm5n', 'm5dn'].map((name) => family(name, 'x86_64', 4, to24)),
  ...['m6i', 'm6id', 'm6in', 'm6idn'].map((name) => family(name, 'x86_64', 4, to32)),
  family('m6a', 'x86_64', 4, amd6),
  family('m7i', 'x86_64', 4, intel7),
  family('m7a', 'x86_64', 4, `medium ${amd6}`),
  ...['m6g', 'm6gd', 'm7g', 'm7gd'].map((name) => family(name, 'arm64', 4, graviton)),
  family('m8g', 'arm64', 4, graviton8),

  ...['c5', 'c5d'].map((name) => family(name, 'x86_64', 2, compute5)),
  ...['c5a', 'c5ad'].map((name) => family(name, 'x86_64', 2, to24)),
  ...['c6i', 'c6id', 'c6in'].map((name) => family(name, 'x86_64', 2, to32)),
  family('c6a', 'x86_64', 2, amd6),
  family('c7i', 'x86_64', 2, intel7),
  family('c7a', 'x86_64', 2, `medium ${amd6}`),
  ...['c6g', 'c6gd', 'c6gn', 'c7g', 'c7gd', 'c7gn'].map((name) =>
    family(name, 'arm64', 2, graviton),
  ),
  family('c8g', 'arm64', 2, graviton8),

  ...['r5', 'r5a', 'r5d', 'r5ad', 'r5b', 'r5n', 'r5dn'].map((name) =>
    family(name, 'x86_64', 8, to24),
  ),
  ...['r6i', 'r6id', 'r6in', 'r6idn'].map((name) => family(name, 'x86_64', 8, to32)),
  family('r6a', 'x86_64', 8, amd6),
  family('r7i', 'x86_64', 8, intel7),
  family('r7a', 'x86_64', 8, `medium ${amd6}`),
  ...['r6g', 'r6gd', 'r7g', 'r7gd'].map((name) => family(name, 'arm64', 8, graviton)),
  family('r8g', 'arm64', 8, graviton8),

  burstable('t3', 'x86_64'),
  burstable('t3a', 'x86_64'),
  burstable('t4g', 'arm64'),
  {
    family: 't2',
    architecture: 'x86_64',
    sizes: [
      ['t2.nano', 1, 0.5, 0.58],
      ['t2.micro', 1, 1, 1.16],
      ['t2.small', 1, 2, 2.3],
      ['t2.medium', 2, 4, 4.64],
      ['t2.large', 2, 8, 9.28],
      ['t2.xlarge', 4, 16, 18.56],
      ['t2.2xlarge', 8, 32, 37.12],
    ],
    baselines: [0.05, 0.1, 0.2, 0.2, 0.3, 0.225, 0.17],
  },
];
