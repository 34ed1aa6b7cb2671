import { describe, expect, it } from 'vitest';
import type { PolicyInput, Rule } from '../../src/contract/policies.ts';
import { evaluationBudget } from '../../src/engine/condition/budget.ts';
import { compileCondition } from '../../src/engine/condition/compile.ts';
import { closureEvaluator, codeEvaluator } from '../../src/engine/condition/create-evaluator.ts';
import { preparePolicy } from '../../src/engine/evaluate.ts';
import { stepsOf as stepsOfRun } from './back-ends.ts';

const policyOf = (...rules: readonly Rule[]) => {
  const policy: PolicyInput = {
    name: 'p',
    resource_type: 'Custom::Thing',
    enabled: true,
    rules: [...rules],
  };
  return preparePolicy({ policy });
};
const deny = (condition: string): Rule => ({ condition, effect: 'DENY' });
const allow = (condition: string): Rule => ({ condition, effect: 'ALLOW' });

const programOf = (source: string) => {
  const compiled = compileCondition(source);
  if (!compiled.ok) throw new Error(`${source}: ${compiled.problem.message}`);
  return compiled.condition.program;
};

/** Takes more than half of a budget. */
const dear = 'resource.l.exists(a, resource.l.exists(b, b < 0))';
const resource = { l: Array.from({ length: 1_100 }, (_, n) => n) };

const stepsOf = (prepared: ReturnType<typeof policyOf>, over: unknown = resource): number => {
  const allowance = { left: Number.MAX_SAFE_INTEGER };
  prepared.decide(over, 0, allowance);
  return Number.MAX_SAFE_INTEGER - allowance.left;
};

describe('the budget of an evaluation', () => {
  it('is one for all rules of a policy', () => {
    expect(policyOf(deny(dear)).decide(resource, 0)).toEqual({ status: 'PASS' });
    expect(policyOf(deny(dear), deny(dear)).decide(resource, 0)).toMatchObject({
      status: 'ERROR',
      reason: 'budget',
      rules: [
        { index: 1, message: 'the policy exceeds the budget of 2,000,000 steps on this resource' },
      ],
    });
  });

  it('leaves a DENY that held before what it is', () => {
    const denied = policyOf(deny('true'), deny(dear), deny(dear), deny('true'));
    expect(denied.decide(resource, 0)).toMatchObject({ status: 'FAIL', rules: [{ index: 0 }] });
  });

  it('decides nothing more once it is spent', () => {
    const late = policyOf(deny(dear), deny(dear), deny('true'), allow('true'));
    expect(late.decide(resource, 0)).toMatchObject({
      status: 'ERROR',
      reason: 'budget',
      rules: [{ index: 1 }, { index: 2 }, { index: 3 }],
    });
  });

  it('starts anew for each evaluation', () => {
    const prepared = policyOf(deny(dear));
    for (let run = 0; run < 3; run++) {
      expect(prepared.decide(resource, 0)).toEqual({ status: 'PASS' });
    }
  });

  it('takes the same steps on every run, as closures and as generated code', () => {
    const prepared = policyOf(deny('resource.l.exists(x, x < 0)'), allow('size(resource.l) > 3'));
    const steps = stepsOf(prepared);
    expect(steps).toBeGreaterThan(resource.l.length);
    for (let run = 0; run < 300; run++) expect(stepsOf(prepared)).toBe(steps);
  });

  it('pays for a map more than for a list, as it takes more memory', () => {
    const steps = (made: string): number => {
      const program = programOf(`resource.l.map(x, ${made}).size() > 0`);
      return stepsOfRun(codeEvaluator(program), { l: [1, 2, 3] }, 0).steps;
    };
    expect(steps('{}')).toBeGreaterThan(steps('[]'));
    expect(steps('{"a": x}')).toBeGreaterThan(steps('{}'));
  });

  it.each([
    ['a pattern that RE2 runs', 'resource.text.matches("(?i)(a|b)*a(a|b){9}x")'],
    ['one that asks for what stands around', 'resource.text.matches("\\\\b(é|a.*)+\\\\B$")'],
    ['one that JavaScript runs', 'resource.text.matches("a[bc]{2}d")'],
    ['one that the document brings', 'resource.text.matches(resource.pattern)'],
    ['the same twice', '[1, 2].all(x, resource.text.matches(resource.pattern + string(x)))'],
    ['one that is none', '[1, 2].exists(x, resource.text.matches("(" + resource.pattern))'],
  ])('takes the same steps for %s, first and thousandth', (_, condition) => {
    const program = programOf(condition);
    const texts = ['', 'abcdx', 'ab'.repeat(200), 'é😀 b', 'abbbabaaab\ud83d'.repeat(20)];
    const asked = texts.map((text) => ({ text, pattern: 'a+(b|c){2,9}$' }));
    const stepsOfEach = () =>
      [closureEvaluator(program), codeEvaluator(program)].map((run) =>
        asked.map((over) => stepsOfRun(run, over, 0)),
      );
    const [first, second] = stepsOfEach();
    expect(second).toEqual(first);
    // What it learns of texts fills up, and other patterns take its place.
    const warm = codeEvaluator(program);
    for (let n = 0; n < 1_000; n++) {
      const text = `${(n * 48_271).toString(2).replaceAll('0', 'a').replaceAll('1', 'b')}é${n}`;
      stepsOfRun(warm, { text, pattern: `a${n % 300}|b` }, 0);
      stepsOfRun(warm, { text: text.slice(0, 9), pattern: 'a+(b|c){2,9}$' }, 0);
    }
    expect(asked.map((over) => stepsOfRun(warm, over, 0))).toEqual(first);
    expect(stepsOfEach()).toEqual([first, first]);
  });
});

describe('the allowance of a request', () => {
  it('loses what each evaluation takes', () => {
    const prepared = policyOf(deny('resource.l.exists(x, x < 0)'));
    const steps = stepsOf(prepared);
    const allowance = { left: 2.5 * steps };
    expect(prepared.decide(resource, 0, allowance).status).toBe('PASS');
    expect(allowance.left).toBe(1.5 * steps);
    expect(prepared.decide(resource, 0, allowance).status).toBe('PASS');
    expect(prepared.decide(resource, 0, allowance)).toMatchObject({
      status: 'ERROR',
      reason: 'budget',
      rules: [
        { message: expect.stringContaining('the request exceeds the budget of 40,000,000 steps') },
      ],
    });
    expect(allowance.left).toBe(0);
    expect(prepared.decide(resource, 0, allowance)).toMatchObject({ reason: 'budget' });
    expect(allowance.left).toBe(0);
  });

  it('pays for any policy, however small', () => {
    expect(stepsOf(policyOf(deny('true')))).toBeGreaterThan(0);
    expect(policyOf(deny('true')).decide({}, 0, { left: 0 })).toMatchObject({ reason: 'budget' });
  });

  it('gives an evaluation no more than its own budget', () => {
    const prepared = policyOf(deny(dear), deny(dear));
    expect(stepsOf(prepared)).toBe(evaluationBudget);
  });
});
