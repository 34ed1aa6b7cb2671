// The published cases of the AWS Guard Rules Registry, and what the policies with the tag `guard:<RULE_NAME>` answer.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from '../../src/contract/findings.ts';
import { PolicyInput } from '../../src/contract/policies.ts';
import type { PreparedPolicy } from '../../src/engine/evaluate.ts';
import { evaluate, preparePolicy } from '../../src/engine/evaluate.ts';
import { cloudformation } from '../../src/inventory/formats/cloudformation/reader.ts';
import { field, fieldsOf, itemsOf, textOf } from '../../src/inventory/json.ts';
import { normaliseAll } from '../../src/inventory/attributes/normalise.ts';
import { parseText } from '../../src/inventory/text/parse.ts';
import { matchesType } from '../../src/contract/resources.ts';
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
      .filter(({ policy }) => matchesType(policy.resource_type, resource.type))
      .filter(({ policy }) => suppressionOf(policy, suppressed) === undefined)
      .map((policy) => evaluate(policy, resource, Date.now())),
  );
  const has = (status: string): boolean => findings.some((finding) => finding.status === status);
  const verdict = has('FAIL') ? 'FAIL' : has('ERROR') ? 'ERROR' : 'PASS';
  const suppressed = resources.flatMap((one) => one.suppressed ?? []);
  return { name, expected, verdict, findings, suppressed };
}

export const agrees = ({ verdict, expected }: Answer): boolean =>
  (verdict === 'FAIL') === (expected === 'FAIL');

export const show = ({ name, expected, verdict, findings, suppressed }: Answer): string => {
  const lines = findings
    .filter(({ status }) => verdict === 'PASS' || status === verdict)
    .map(({ policy, resource, status, rules }) => {
      const why = rules.map(({ message }) => message ?? '').join(' | ');
      return `      ${policy} over ${resource}: ${status} ${why.slice(0, 300)}`;
    });
  if (suppressed.length > 0) lines.push(`      suppressed: ${[...new Set(suppressed)].join(' ')}`);
  return [`    ${name.trim()}: ${expected} is published, ours is ${verdict}`, ...lines].join('\n');
};

export const hasGuardCases = existsSync(data);

/** What the registry's index says of its rules. */
export const readRuleIndex = () =>
  fieldsOf(
    readDocument(path.join(data, 'aws-cloudformation__aws-guard-rules-registry/rule-index.json')),
  );

/** Our answers to the registry's cases, by rule. */
export function answerAll(): ReadonlyMap<string, readonly Answer[]> {
  const cases = readCases();
  return new Map(
    [...readPolicies()].map(([rule, prepared]) => [
      rule,
      (cases.get(rule) ?? []).map((one) => answer(prepared, one)),
    ]),
  );
}
