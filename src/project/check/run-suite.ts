import { defined } from '../../contract/defined.ts';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { createSuggester } from '../../contract/nearest.ts';
import type { Finding } from '../../contract/findings.ts';
import { formatOfTestKey } from '../../inventory/formats/formats.ts';
import type { Format, TestKey } from '../../inventory/formats/formats.ts';
import type { ReadResource } from '../../inventory/model.ts';
import { readInventory } from '../../inventory/read.ts';
import type { LocalPolicy, Place } from '../model.ts';
import { leadsOutside } from '../read/boundary.ts';
import { unreadable } from '../read/read-text.ts';
import { createChecker } from './checker.ts';
import { writtenMessage } from './say-as-source.ts';
import type { PolicyTest, TestSuite } from './test-suites.ts';

export type TestResult = 'pass' | 'fail' | 'skip' | 'exempt' | 'error';

/** What a policy found, in the words of tests. */
interface TestFinding {
  readonly policy: LocalPolicy;
  readonly read: ReadResource;
  readonly result: TestResult;
  readonly messages: readonly string[];
}

/** One way in which a case is not as it should be. */
export interface CaseFailure extends Place {
  /** What is wrong, in one line. */
  readonly message: string;
  readonly resource?: string;
  readonly policy?: string;
  /** As written: a result, and a text that its message must hold. */
  readonly expected?: { readonly result: TestResult; readonly message?: string };
  readonly found?: { readonly result: TestResult; readonly messages: readonly string[] };
}

export interface CaseResult extends Place {
  readonly test?: string;
  readonly name: string;
  readonly status: 'pass' | 'fail';
  readonly failures: readonly CaseFailure[];
}

/** What a case saw, for whoever counts coverage. */
export type Observe = (findings: readonly TestFinding[], now: number) => void;

/** Runs the cases of a test, one at a time. @param now in milliseconds since the epoch, where the test does not say */
export function* runSuite(suite: TestSuite, now: number, observe: Observe): Generator<CaseResult> {
  const { test } = suite;
  for (const [index, one] of test.cases.entries()) {
    const time = Date.parse(one.now ?? test.now ?? '') || now;
    const inputs = readInput(suite, one.input);
    const at = ['cases', index];
    const failures = Array.isArray(inputs)
      ? judgeCase(suite, index, evaluateAll(suite, inputs, time, observe), inputs)
      : [{ ...suite.place([...at, 'input', ...Object.keys(one.input)]), message: inputs.message }];
    yield {
      ...suite.place([...at, 'name']),
      ...defined({ test: test.name }),
      name: one.name,
      status: failures.length === 0 ? 'pass' : 'fail',
      failures,
    };
  }
}

/** Bytes. What a test reads stands beside it in git. */
const largestInput = 64 * 1024 * 1024;

const saidOf = ({ message, hint = '' }: { message: string; hint?: string | undefined }): string =>
  `${message}. ${hint}`;

type Input = PolicyTest['cases'][number]['input'];

/** The resources of a case, or why there are none. */
function readInput(
  { folder, boundary }: TestSuite,
  input: Input,
): ReadResource[] | { message: string } {
  if (input.resources) {
    return readGiven(JSON.stringify(input.resources), 'native', 'the resources');
  }
  for (const [key, format] of Object.entries(formatOfTestKey)) {
    const file = input[key as TestKey];
    if (file === undefined) continue;
    if (typeof file !== 'string') return readGiven(JSON.stringify(file), format, key);
    try {
      const absolute = path.resolve(folder, file);
      const target = boundary.outside(absolute);
      if (target !== undefined) return { message: `${file}: ${saidOf(leadsOutside(target))}` };
      const stats = statSync(absolute);
      if (!stats.isDirectory() && !stats.isFile()) return { message: `${file} is not a file` };
      if (stats.size > largestInput)
        return { message: `${file} is larger than ${largestInput / 1024 / 1024} MiB` };
      return readGiven(readFileSync(absolute), format, file);
    } catch (error) {
      return { message: `${file}: ${unreadable(error).message}` };
    }
  }
  return { message: 'the case has no input' };
}

function readGiven(
  input: string | Uint8Array,
  format: Format,
  what: string,
): ReadResource[] | { message: string } {
  const read = readInventory(input, { format });
  const problem = read.ok ? read.inventory.problems[0] : read.problem;
  if (!problem && read.ok) return [...read.inventory.resources];
  const place = problem?.line === undefined ? '' : `:${problem.line}:${problem.column ?? 1}`;
  // Of what stands in the test itself, the place in its JSON says nothing.
  return { message: `${what}${typeof input === 'string' ? '' : place}: ${problem?.message ?? ''}` };
}

/** The finding of each policy over each resource; a policy for another type skips it. */
function evaluateAll(
  { policies, exemptions }: TestSuite,
  reads: readonly ReadResource[],
  now: number,
  observe: Observe,
): TestFinding[] {
  const checker = createChecker({ policies, exemptions, now, all: true });
  const all = reads.flatMap((read) => {
    const found: Finding[] = [];
    checker.check(read, found, Infinity);
    return policies.map((policy): TestFinding => {
      const finding = found.find(({ policy_key: key }) => key === policy.key);
      if (!finding) return { policy, read, result: 'skip', messages: [] };
      const messages = finding.rules.flatMap(writtenMessage);
      return {
        policy,
        read,
        result: results[finding.status],
        messages: finding.exemption === undefined ? messages : [...messages, finding.exemption],
      };
    });
  });
  observe(all, now);
  return all;
}

const results: Readonly<Record<Finding['status'], TestResult>> = {
  PASS: 'pass',
  FAIL: 'fail',
  ERROR: 'error',
  EXEMPT: 'exempt',
  SKIPPED: 'skip',
};

type Expectation = PolicyTest['cases'][number]['expect'][number];

/** Each expectation must be met, and what nobody expects must pass or be skipped. */
function judgeCase(
  suite: TestSuite,
  index: number,
  findings: readonly TestFinding[],
  reads: readonly ReadResource[],
): CaseFailure[] {
  const byName = findingsByName(findings);
  const unknownName = createNameCheck(suite, reads);
  const expectations = (suite.test.cases[index]?.expect ?? []).map((expected) => ({
    expected,
    about: (byName.get(expected.resource) ?? []).filter(
      ({ policy }) => expected.policy === undefined || isNamed(expected.policy, policy),
    ),
  }));
  const failures = expectations.flatMap(({ expected, about }, nth): CaseFailure[] => {
    const place = (): Place => suite.place(['cases', index, 'expect', nth]);
    const missing = unknownName(expected);
    if (missing) return [{ ...place(), resource: expected.resource, message: missing }];
    return meets(expected, about) ? [] : [{ ...place(), ...describeMiss(expected, about) }];
  });
  // An expectation about one finding alone has told of it, met or not.
  const told = new Set(
    expectations.flatMap(({ expected, about }) =>
      about.length === 1 ? about : about.filter((finding) => isAsExpected(expected, finding)),
    ),
  );
  const unlisted = findings.filter(
    (finding) => finding.result !== 'pass' && finding.result !== 'skip' && !told.has(finding),
  );
  return [
    ...failures,
    ...unlisted.map(({ policy, read, result, messages }): CaseFailure => ({
      ...suite.place(['cases', index, 'name']),
      message: 'unexpected finding',
      resource: read.resource.id,
      policy: policy.policy.name,
      found: { result, messages },
    })),
  ];
}

const names = ({ read }: Pick<TestFinding, 'read'>): string[] => [read.resource.id, read.address];

function findingsByName(findings: readonly TestFinding[]): ReadonlyMap<string, TestFinding[]> {
  const byName = new Map<string, TestFinding[]>();
  for (const finding of findings) {
    for (const name of new Set(names(finding))) {
      const same = byName.get(name);
      if (same) same.push(finding);
      else byName.set(name, [finding]);
    }
  }
  return byName;
}

const isNamed = (name: string, { key, policy }: LocalPolicy): boolean =>
  name === key || name === policy.name;

/**
 * An expectation that names no policy is about all of the file: `skip` must hold for each of them, the others for one at
 * least.
 */
function meets(expected: Expectation, about: readonly TestFinding[]): boolean {
  const fits = (finding: TestFinding): boolean => isAsExpected(expected, finding);
  return expected.result === 'skip' ? about.every(fits) : about.some(fits);
}

const isAsExpected = ({ result, message }: Expectation, finding: TestFinding): boolean =>
  finding.result === result &&
  (message === undefined || finding.messages.some((each) => holds(each, message)));

/** Line breaks of YAML are no part of what is meant. */
const holds = (text: string, part: string): boolean => flat(text).includes(flat(part));
const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Says which name of an expectation is none of the input or of the policies. */
function createNameCheck(
  { policies, test }: TestSuite,
  reads: readonly ReadResource[],
): (expected: Expectation) => string | undefined {
  const resources = new Set(reads.flatMap((read) => names({ read })));
  const keys = new Set(policies.flatMap((each) => [each.key, each.policy.name]));
  const suggestResource = createSuggester(resources);
  const suggestPolicy = createSuggester(keys);
  return ({ resource, policy }) => {
    if (!resources.has(resource)) {
      return `no resource ${JSON.stringify(resource)} in the input${meant(suggestResource(resource))}`;
    }
    if (policy === undefined || keys.has(policy)) return undefined;
    return `no policy ${JSON.stringify(policy)} in ${test.policy}${meant(suggestPolicy(policy))}`;
  };
}

const meant = (nearest: string | undefined): string =>
  nearest === undefined ? '' : `; did you mean ${JSON.stringify(nearest)}?`;

function describeMiss(
  expected: Expectation,
  about: readonly TestFinding[],
): Omit<CaseFailure, keyof Place> {
  // Where several policies are meant, the one that has most to say.
  const found = [...about].sort((a, b) => weight(b) - weight(a))[0];
  const { resource, result, message } = expected;
  return {
    message: found?.result === result ? 'the message differs' : 'the result differs',
    resource,
    ...(found && (expected.policy !== undefined || about.length === 1)
      ? { policy: found.policy.policy.name }
      : {}),
    expected: { result, ...defined({ message }) },
    ...(found ? { found: { result: found.result, messages: found.messages } } : {}),
  };
}

const weight = ({ result }: TestFinding): number =>
  ['skip', 'pass', 'exempt', 'error', 'fail'].indexOf(result);
