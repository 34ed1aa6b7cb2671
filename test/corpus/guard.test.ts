// The policies that stand for rules of the AWS Guard Rules Registry (tag `guard:<RULE_NAME>`), over its published cases.
// One rule, or a few by a part of their names:
//   npx vitest run --config .config/vitest.config.ts test/corpus/guard.test.ts -t S3_BUCKET_LOGGING_ENABLED
// Every disagreement and every ERROR is printed with the findings; -t leaves the totals out.
// Many cases suppress a rule by its id in cfn_nag: the policy then needs the tag `cfn_nag:<ID>` beside `guard:<RULE_NAME>`.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../src/contract/findings.ts';
import { PolicyInput } from '../../src/contract/policies.ts';
import type { PreparedPolicy } from '../../src/engine/evaluate.ts';
import { evaluate, preparePolicy } from '../../src/engine/evaluate.ts';
import { cloudformation } from '../../src/inventory/formats/cloudformation/reader.ts';
import { field, fieldsOf, itemsOf, textOf } from '../../src/inventory/json.ts';
import { normaliseAll } from '../../src/inventory/attributes/normalise.ts';
import { parseText } from '../../src/inventory/text/parse.ts';
import { typeKey } from '../../src/contract/resources.ts';
import { suppressionOf } from '../../src/project/check/suppression.ts';

const data = path.resolve(import.meta.dirname, '../../../shared/data/cfn-guard-tests');
const library = path.resolve(import.meta.dirname, '../../policies-example');

interface Case {
  readonly name: string;
  readonly input: unknown;
  readonly expected: string;
}

interface Answer {
  readonly name: string;
  readonly expected: string;
  readonly verdict: 'FAIL' | 'ERROR' | 'PASS';
  readonly findings: readonly Finding[];
  /** What the resources ask to be spared. */
  readonly suppressed: readonly string[];
}

function readDocument(file: string): unknown {
  const read = parseText(readFileSync(file, 'utf8'));
  if (!read.ok) throw new Error(`${file}: ${JSON.stringify(read.problem)}`);
  return read.parsed.document;
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file));

/** Policies by the rule they stand for, made ready. */
function readPolicies(): Map<string, PreparedPolicy[]> {
  const byRule = new Map<string, PreparedPolicy[]>();
  for (const file of filesBelow(library)) {
    if (!file.endsWith('.yaml') || file.endsWith('.test.yaml')) continue;
    if (!readFileSync(file, 'utf8').includes('guard:')) continue;
    // Some stand for an alternative and are off, so that not both are demanded at once.
    const policy = { ...PolicyInput.parse(readDocument(file)), enabled: true };
    const prepared = preparePolicy({ policy });
    for (const tag of prepared.policy.tags ?? []) {
      if (!tag.startsWith('guard:')) continue;
      const rule = tag.slice('guard:'.length);
      byRule.set(rule, [...(byRule.get(rule) ?? []), prepared]);
    }
  }
  return byRule;
}

/** The registry's cases by rule. */
function readCases(): Map<string, Case[]> {
  const byRule = new Map<string, Case[]>();
  for (const file of filesBelow(data)) {
    if (!/_tests?\.ya?ml$/.test(file)) continue;
    for (const one of itemsOf(readDocument(file))) {
      const rules = fieldsOf(field(field(one, 'expectations'), 'rules'));
      for (const [rule, expected] of Object.entries(rules)) {
        const name = textOf(field(one, 'name')) ?? '(no name)';
        const known = byRule.get(rule) ?? [];
        byRule.set(rule, [
          ...known,
          { name, input: field(one, 'input'), expected: String(expected) },
        ]);
      }
    }
  }
  return byRule;
}

function answer(policies: readonly PreparedPolicy[], { name, input, expected }: Case): Answer {
  const { raws } = cloudformation.read(input, {});
  const resources = normaliseAll(raws, 'cloudformation');
  const findings = resources.flatMap(({ resource, suppressed = [] }) =>
    policies
      .filter(({ policy }) => typeKey(policy.resource_type) === typeKey(resource.type))
      .filter(({ policy }) => suppressionOf(policy, suppressed) === undefined)
      .map((policy) => evaluate(policy, resource, Date.now())),
  );
  const has = (status: string): boolean => findings.some((finding) => finding.status === status);
  const verdict = has('FAIL') ? 'FAIL' : has('ERROR') ? 'ERROR' : 'PASS';
  const suppressed = resources.flatMap((one) => one.suppressed ?? []);
  return { name, expected, verdict, findings, suppressed };
}

const agrees = ({ verdict, expected }: Answer): boolean =>
  (verdict === 'FAIL') === (expected === 'FAIL');

const show = ({ name, expected, verdict, findings, suppressed }: Answer): string => {
  const lines = findings
    .filter(({ status }) => verdict === 'PASS' || status === verdict)
    .map(({ policy, resource, status, rules }) => {
      const why = rules.map(({ message }) => message ?? '').join(' | ');
      return `      ${policy} over ${resource}: ${status} ${why.slice(0, 300)}`;
    });
  if (suppressed.length > 0) lines.push(`      suppressed: ${[...new Set(suppressed)].join(' ')}`);
  return [`    ${name.trim()}: ${expected} is published, ours is ${verdict}`, ...lines].join('\n');
};

const isThere = existsSync(data);
if (!isThere) console.log('skipped: the Guard Rules Registry cases are not in this checkout');

describe.runIf(isThere)('the policies of the Guard rules', () => {
  const policies = isThere ? readPolicies() : new Map<string, PreparedPolicy[]>();
  const cases = isThere ? readCases() : new Map<string, Case[]>();
  const answers = new Map(
    [...policies].map(([rule, prepared]) => [
      rule,
      (cases.get(rule) ?? []).map((one) => answer(prepared, one)),
    ]),
  );
  const withCases = [...policies.keys()].filter((rule) => cases.has(rule)).sort();

  test.each(withCases)('%s decides as published, in most of its cases', (rule) => {
    const given = answers.get(rule) ?? [];
    const wrong = given.filter((one) => !agrees(one));
    const open = given.filter((one) => agrees(one) && one.verdict === 'ERROR');
    const told = [...wrong, ...open].map(show);
    if (told.length > 0) console.log([`  ${rule}`, ...told].join('\n'));
    expect(wrong.length / given.length).toBeLessThan(0.5);
  });

  test('agree on at least 97 % of the cases, and cover at least 120 rules', () => {
    const index = fieldsOf(
      readDocument(path.join(data, 'aws-cloudformation__aws-guard-rules-registry/rule-index.json')),
    );
    const all = [...answers.values()].flat();
    const agreed = all.filter(agrees);
    const errors = all.filter(({ verdict }) => verdict === 'ERROR');
    const withoutCases = [...policies.keys()].filter(
      (rule) => !cases.has(rule) && textOf(field(index[rule], 'description')) !== undefined,
    );
    console.log(
      [
        `Guard rules: ${policies.size} covered (${withCases.length} with cases, ${withoutCases.length} with a description only)`,
        `cases: ${agreed.length} of ${all.length} agree (${((100 * agreed.length) / all.length).toFixed(2)} %); ERROR in ${errors.length}`,
        ...withCases.flatMap((rule) => {
          const given = answers.get(rule) ?? [];
          const right = given.filter(agrees).length;
          return right === given.length ? [] : [`  ${rule}: ${right} of ${given.length}`];
        }),
      ].join('\n'),
    );
    expect([...policies.keys()].filter((rule) => !Object.hasOwn(index, rule))).toEqual([]);
    expect(agreed.length / all.length).toBeGreaterThanOrEqual(0.97);
    expect(policies.size).toBeGreaterThanOrEqual(120);
    expect(withoutCases.length).toBeGreaterThanOrEqual(46);
  });
});
