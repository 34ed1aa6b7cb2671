import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readInventory } from '../../src/inventory/read.ts';

const data = path.resolve(import.meta.dirname, '../../../shared/data');
const isThere = existsSync(data);
if (!isThere) console.log('skipped: the CloudFormation templates are not in this checkout');

const filesOf = (folder: string): string[] =>
  isThere
    ? readdirSync(path.join(data, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(?:json|ya?ml|template)$/.test(file))
        .map((file) => path.join(folder, file))
    : [];

const read = (file: string) => readInventory(readFileSync(path.join(data, file), 'utf8'));

describe.runIf(isThere)('a published template', () => {
  test.each(filesOf('cloudformation'))('%s loads, each resource at its place', (file) => {
    const inventory = read(file);
    if (!inventory.ok) throw new Error(JSON.stringify(inventory.problem));
    const { format, resources, problems, locate } = inventory.inventory;
    expect(format).toBe('cloudformation');
    expect(resources.length).toBeGreaterThan(0);
    const lines = readFileSync(path.join(data, file), 'utf8').split('\n');
    for (const { address: own, at, resource } of resources) {
      const address = String((resource.source as { sam_resource?: string }).sam_resource ?? own);
      const { line = 0, column = 0 } = locate(at) ?? {};
      const rest = lines[line - 1]?.slice(column - 1) ?? '';
      expect(
        rest.startsWith(address) ||
          rest.startsWith('Fn::ForEach') ||
          rest.slice(1).startsWith(address),
      ).toBe(true);
    }
    for (const problem of problems) {
      expect(problem.line).toBeGreaterThan(0);
      // Modules of another tool stand in three of them.
      expect(problem.message).toMatch(/^the Type of \w+ must be a string$/);
    }
  });
});

describe.runIf(isThere)('a template that is wrong on purpose', () => {
  test.each(filesOf('cloudformation-invalid'))('%s loads in part, or fails at a place', (file) => {
    const inventory = read(file);
    const problems = inventory.ok ? inventory.inventory.problems : [inventory.problem];
    for (const { message, line } of problems) {
      expect(message).not.toBe('');
      expect(line).toBeGreaterThan(0);
    }
  });

  test.each([
    ['bad/not_cloudformation.yaml', 1, 1, 'a map with the keys "NotEven"'],
    ['bad/core/config_invalid_yaml.yaml', 7, 13, 'this is not YAML'],
    ['bad/core/conditions_list.yaml', 6, 1, 'Conditions must be a map'],
    ['parser/fail.json', 1, 1, 'a single string'],
    ['parser/success_triple_quotes_string.json', 17, 26, 'this is not JSON'],
  ])('%s is refused at line %i', (name, line, column, message) => {
    const file = filesOf('cloudformation-invalid').find((one) => one.endsWith(name)) ?? name;
    const inventory = read(file);
    if (inventory.ok) throw new Error('loads');
    expect(inventory.problem).toMatchObject({ line, column });
    expect(inventory.problem.message).toContain(message);
  });
});
