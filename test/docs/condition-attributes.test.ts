import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { compileCondition } from '../../src/engine/condition/compile.ts';
import { declared, isDeclared, readPaths } from '../support/attribute-model.ts';

const docs = new URL('../../docs/', import.meta.url);

/** Conditions of a page: lines of CEL blocks, and what stands as `condition` in YAML blocks. */
function conditionsIn(page: string): string[] {
  const text = readFileSync(new URL(page, docs), 'utf8');
  const blocks = [...text.matchAll(/\n```(cel|yaml)\n(.*?)\n```/gs)];
  return blocks.flatMap(([, language, body = '']) =>
    language === 'cel'
      ? body.split('\n').filter((line) => line.trim() !== '')
      : parseAllDocuments(body).flatMap((document) => conditionsOf(document.toJS())),
  );
}

function conditionsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) =>
    key === 'condition' && typeof held === 'string' ? [held] : conditionsOf(held),
  );
}

const examples = readdirSync(docs)
  .filter((name) => name.endsWith('.md'))
  .flatMap((page) => conditionsIn(page).map((condition) => [page, condition] as const));

describe('the conditions that the documentation shows', () => {
  it('are found', () => {
    const pages = examples.map(([page]) => page);
    expect(pages).toContain('conditions.md');
    expect(pages).toContain('policy-files.md');
  });

  it.each(examples)('%s: %s reads what resources of some type have', (_, condition) => {
    const compiled = compileCondition(condition);
    if (!compiled.ok) throw new Error(compiled.problem.message);
    const paths = [...readPaths(compiled.condition.program)];
    const fitting = [...declared.keys()].filter((type) =>
      paths.every((path) => isDeclared(path, type)),
    );
    expect(fitting).not.toEqual([]);
  });
});
