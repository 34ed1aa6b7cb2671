import { describe, expect, it } from 'vitest';
import { catalogues } from '../../src/engine/frameworks/frameworks.ts';
import { titlesOf } from '../../src/engine/frameworks/titles.ts';
import { controlKey, frameworkKey, showControl } from '../../src/engine/labels.ts';

describe('the built-in frameworks', () => {
  it('have all controls of their version', () => {
    expect(catalogues.map(({ name, controls }) => [name, controls.length])).toEqual([
      ['SOC2', 61],
      ['ISO27001', 93],
      ['PCI-DSS', 278],
      ['HIPAA', 83],
      ['NIST-800-53', 287],
    ]);
  });

  it.each(catalogues)('$name: each control has a short title', (catalogue) => {
    const { name, controls } = catalogue;
    const titles = titlesOf(catalogue);
    expect([...titles.keys()]).toEqual(controls.map((id) => controlKey(name, id)));
    for (const title of titles.values()) expect(title).toMatch(/^[A-Z].{3,79}[^.]$/);
  });

  it.each(catalogues)(
    '$name: each ID is there once, in its usual spelling',
    ({ name, controls }) => {
      expect(frameworkKey(name)).toBe(name);
      expect(controls.map((id) => showControl(name, id))).toEqual(controls);
      expect(new Set(controls.map((id) => controlKey(name, id))).size).toBe(controls.length);
    },
  );
});
