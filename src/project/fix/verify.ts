import type { Finding } from '../../contract/findings.ts';
import type { ReadOptions, ReadResource } from '../../inventory/model.ts';
import { readInventory } from '../../inventory/read.ts';
import type { Checker } from '../check/checker.ts';

/** What policies say of a template: the findings that do not pass, by policy and resource. */
export interface Judged {
  /** By id; undefined where several have it. */
  readonly resources: ReadonlyMap<string, ReadResource | undefined>;
  readonly findings: ReadonlyMap<string, Finding>;
}

/** Undefined where the text is no template, or a part of it can't be read. @throws GovctlError interrupted, by `turn` */
export async function judge(
  text: string,
  options: ReadOptions,
  checker: Checker,
  turn: () => Promise<void>,
): Promise<Judged | undefined> {
  const read = readInventory(text, options);
  if (!read.ok) return undefined;
  const { format, resources, problems } = read.inventory;
  if (format !== 'cloudformation' || problems.length > 0) return undefined;
  const byId = new Map<string, ReadResource | undefined>();
  const findings = new Map<string, Finding>();
  for (const one of resources) {
    await turn();
    const { id } = one.resource;
    byId.set(id, byId.has(id) ? undefined : one);
    const found: Finding[] = [];
    checker.check(one, found, Infinity);
    for (const finding of found) findings.set(keyOf(finding.policy, id), finding);
  }
  checker.takeTally();
  return { resources: byId, findings };
}

export const keyOf = (policy: string, resource: string): string =>
  JSON.stringify([policy, resource]);

/** Why a change is no fix of a finding; undefined where the finding is gone and nothing else is worse. */
export function whyNoFix(
  before: Judged,
  after: Judged | undefined,
  fixed: string,
): string | undefined {
  if (!after) return 'the changed template could not be read';
  if (after.findings.has(fixed)) return 'the finding would stay';
  const ids = [...after.resources.keys()];
  if (ids.length !== before.resources.size || ids.some((id) => !before.resources.has(id))) {
    return 'the change would add or remove a resource';
  }
  for (const [key, { status, policy, resource }] of after.findings) {
    const was = before.findings.get(key)?.status;
    const isWorse = status === 'FAIL' ? was !== 'FAIL' : status === 'ERROR' && was !== 'ERROR';
    if (isWorse && !(status === 'ERROR' && was === 'FAIL')) {
      return `${policy} would then find something at ${resource}`;
    }
  }
  return undefined;
}
