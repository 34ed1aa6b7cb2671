import type { Finding } from '../../contract/findings.ts';
import type { Format } from '../../inventory/formats/formats.ts';
import type { ReadOptions, ReadResource } from '../../inventory/model.ts';
import { readParsed } from '../../inventory/read.ts';
import type { ParsedText } from '../../inventory/text/parsed-text.ts';
import type { Holding } from '../model.ts';
import type { Checker } from '../check/checker.ts';

/** What policies say of an input: the findings that do not pass, by policy and resource. */
export interface Judged {
  /** By id; undefined where several have it. */
  readonly resources: ReadonlyMap<string, ReadResource | undefined>;
  readonly findings: ReadonlyMap<string, Finding>;
}

/** Asks all policies about an input. Undefined where it has another format, or a part of it can't be read. */
export type Judge = (parsed: ParsedText) => Promise<Judged | undefined>;

/** @param turn lets others work now and then. @throws GovctlError interrupted, by `turn` */
export const createJudge =
  (
    format: Format,
    options: ReadOptions,
    checker: Checker,
    turn: () => Promise<void>,
    holding: Holding,
  ): Judge =>
  async (parsed) => {
    const read = holding(() => readParsed(parsed, options));
    if (!read.ok || read.inventory.format !== format || read.inventory.problems.length > 0)
      return undefined;
    const resources = new Map<string, ReadResource | undefined>();
    const findings = new Map<string, Finding>();
    for (const one of read.inventory.resources) {
      await turn();
      const { id } = one.resource;
      resources.set(id, resources.has(id) ? undefined : one);
      const found: Finding[] = [];
      holding(() => checker.check(one, found, Infinity));
      for (const finding of found) findings.set(keyOf(finding.policy, id), finding);
    }
    checker.takeTally();
    return { resources, findings };
  };

export const keyOf = (policy: string, resource: string): string =>
  JSON.stringify([policy, resource]);

/**
 * Why a change is no fix of a finding; undefined where the finding is gone and nothing else is worse.
 * @param added resources that the change makes, by id
 */
export function whyNoFix(
  before: Judged,
  after: Judged,
  fixed: string,
  added: readonly string[] = [],
): string | undefined {
  if (after.findings.has(fixed)) return 'the change would not fix the finding';
  const expected = new Set([...before.resources.keys(), ...added]);
  const isKept = [...before.resources.keys()].every((id) => after.resources.has(id));
  if (!isKept || [...after.resources.keys()].some((id) => !expected.has(id))) {
    return 'the change would add or remove a resource';
  }
  for (const [key, { status, policy, resource }] of after.findings) {
    const was = before.findings.get(key)?.status;
    const isWorse = status === 'FAIL' ? was !== 'FAIL' : status === 'ERROR' && was !== 'ERROR';
    if (isWorse && !(status === 'ERROR' && was === 'FAIL')) {
      return `the change would cause a finding of ${policy} on ${resource}`;
    }
  }
  return undefined;
}
