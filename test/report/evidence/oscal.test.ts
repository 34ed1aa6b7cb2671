import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { assessmentResults } from '../../../src/report/evidence/oscal.ts';
import type { EvidenceFacts } from '../../../src/report/evidence/facts.ts';
import { anyFacts, smallFacts } from './made-facts.ts';

let isValid: ValidateFunction;
beforeAll(async () => {
  const file = path.join(import.meta.dirname, 'oscal', 'assessment-results-1.0.4.schema.json');
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  isValid = ajv.compile(JSON.parse(await readFile(file, 'utf8')) as object);
});

const written = (facts: EvidenceFacts): unknown =>
  JSON.parse([...assessmentResults(facts)].join(''));

interface Written {
  readonly 'assessment-results': {
    readonly results: readonly {
      readonly props: readonly { readonly name: string; readonly value: string }[];
      readonly findings?: readonly {
        readonly target: { readonly 'target-id': string; readonly status: object };
      }[];
    }[];
  };
}

const resultOf = (facts: EvidenceFacts) => {
  const [result] = (written(facts) as Written)['assessment-results'].results;
  if (!result) throw new Error('there is one');
  return result;
};

describe('OSCAL assessment results', () => {
  it('are valid by the schema that NIST publishes, whatever the facts say', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        expect(isValid(written(facts)), JSON.stringify(isValid.errors?.slice(0, 3))).toBe(true);
      }),
      { numRuns: 80 },
    );
  });

  it('are checked by a schema that finds what is wrong', () => {
    const results = JSON.parse(JSON.stringify(written(smallFacts))) as {
      'assessment-results': { metadata: Record<string, unknown> };
    };
    expect(isValid(results)).toBe(true);
    delete results['assessment-results'].metadata['oscal-version'];
    expect(isValid(results)).toBe(false);
  });

  it('have a finding for each control that was evaluated, and none for the others', () => {
    const result = resultOf({
      ...smallFacts,
      controls: [
        { id: 'CC6.1', status: 'FAILED', policies: [], manual: [] },
        { id: 'A1.2', status: 'ERROR', policies: [], manual: [] },
        { id: 'CC6.7', status: 'PASSED', policies: [], manual: [] },
        { id: 'CC1.1', status: 'manual', policies: [], manual: [] },
        { id: 'CC1.2', status: 'not_evaluated', policies: [], manual: [] },
      ],
    });
    expect(result.findings?.map(({ target }) => [target['target-id'], target.status])).toEqual([
      ['CC6.1', { state: 'not-satisfied', reason: 'fail' }],
      ['A1.2', { state: 'not-satisfied', reason: 'error' }],
      ['CC6.7', { state: 'satisfied' }],
    ]);
    const props = result.props.map(({ name, value }) => `${name} ${value}`);
    expect(props).toContain('manual CC1.1');
    expect(props).toContain('not-evaluated CC1.2');
  });

  it('name a control by a token where its ID is none, and keep the ID beside it', () => {
    const id = '164.312(a)(1)';
    const text = JSON.stringify(
      resultOf({
        ...smallFacts,
        controls: [{ id, status: 'PASSED', policies: [], manual: [] }],
      }),
    );
    expect(text).toContain('"target-id":"_164.312_a__1_"');
    expect(text).toContain(`"value":"${id}"`);
  });
});
