import { describe, expect, it } from 'vitest';
import { families, findSize } from '../../../src/cost/rightsizing/catalog.ts';

const all = Object.entries(families).flatMap(([provider, own]) =>
  own.map((family) => ({ provider, ...family })),
);

describe('the sizes in the catalog', () => {
  it('have each name once', () => {
    const names = all.flatMap(({ provider, sizes }) =>
      sizes.map(([name]) => `${provider} ${name.toLowerCase()}`),
    );
    expect(names.length).toBe(new Set(names).size);
    expect(names.length).toBeGreaterThan(500);
  });

  it('grow within a family: price always, vCPUs and memory never less than before', () => {
    for (const { sizes } of all) {
      for (const [at, [name, vcpus, memory, price]] of sizes.entries()) {
        expect([name, vcpus > 0, memory > 0, price > 0]).toEqual([name, true, true, true]);
        const [, lessVcpus = 0, lessMemory = 0, lessPrice = 0] = sizes[at - 1] ?? [];
        expect([name, price > lessPrice]).toEqual([name, true]);
        expect([name, vcpus >= lessVcpus && memory >= lessMemory]).toEqual([name, true]);
      }
    }
  });

  it('cost in proportion to their vCPUs, and double where the vCPUs do, but for burstable ones', () => {
    for (const { family, sizes, baselines } of all) {
      if (baselines) {
        expect([family, baselines.length]).toEqual([family, sizes.length]);
        continue;
      }
      const [first] = sizes;
      const perVcpu = (first?.[3] ?? 0) / (first?.[1] ?? 1);
      for (const [name, vcpus, , price] of sizes) {
        // It has less memory than its family.
        if (name === 'n2-highmem-128') continue;
        expect([name, price / vcpus]).toEqual([name, perVcpu]);
      }
    }
  });

  it('have one ratio of memory to vCPUs in a family, but for those that the documentation lists otherwise', () => {
    const others = all.flatMap(({ sizes, baselines }) => {
      const [first] = sizes;
      const ratio = (first?.[2] ?? 0) / (first?.[1] ?? 1);
      return baselines
        ? []
        : sizes.flatMap(([name, vcpus, memory]) =>
            Math.abs(memory / vcpus - ratio) < 1e-9 ? [] : [name],
          );
    });
    expect(
      others.every((name) =>
        /^Standard_E(64|96)|^Standard_(D64|E32)pd?s_v5$|^n2-highmem-128$/.test(name),
      ),
    ).toBe(true);
  });

  it.each([
    ['aws', 'm5.large', 2, 8, 2],
    ['aws', 'c5.18xlarge', 72, 144, 72],
    ['aws', 'r6i.32xlarge', 128, 1_024, 128],
    ['aws', 'm7g.medium', 1, 4, 1],
    ['aws', 't3.xlarge', 4, 16, 32],
    ['azure', 'standard_d4s_V5', 4, 16, 4],
    ['azure', 'Standard_E64s_v3', 64, 432, 64],
    ['azure', 'Standard_F72s_v2', 72, 144, 72],
    ['azure', 'Standard_D8pls_v5', 8, 16, 8],
    ['azure', 'Standard_D64pds_v5', 64, 208, 64],
    ['azure', 'Standard_E20ps_v5', 20, 160, 20],
    ['azure', 'Standard_E32pds_v5', 32, 208, 32],
    ['gcp', 'n1-standard-1', 1, 3.75, 1],
    ['gcp', 'n1-highcpu-96', 96, 86.4, 96],
    ['gcp', 'n2-highmem-80', 80, 640, 80],
    ['gcp', 'n2-highmem-128', 128, 864, 117.66],
    ['gcp', 'e2-medium', 2, 4, 4],
  ])('include %s %s as published', (provider, name, vcpus, memory, price) => {
    expect(findSize(provider, name)?.[0]).toMatchObject({ vcpus, memory_gib: memory, price });
  });

  it('do not include what no list has', () => {
    expect(findSize('aws', 'm5.huge')).toBeUndefined();
    expect(findSize('gcp', 'n2-highmem-112')).toBeUndefined();
    expect(findSize('aws', '__proto__')).toBeUndefined();
  });
});
