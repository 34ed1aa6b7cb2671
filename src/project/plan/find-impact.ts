import type { Client } from '../../client/client.ts';
import { isPathMissing } from '../../client/objects.ts';
import { mostPricedResources } from '../../contract/cost-resources.ts';
import type { ResourceCostSum } from '../../contract/cost-resources.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Finding } from '../../contract/findings.ts';
import type { PolicyInput } from '../../contract/policies.ts';
import { isTypePattern, matchesType, typeKey } from '../../contract/resources.ts';
import type { AnsweredResource, Resource } from '../../contract/resources.ts';
import { createPolicySet, evaluate, isExempt, preparePolicy } from '../../engine/evaluate.ts';
import type { InputProblem } from '../../inventory/model.ts';
import { readInventory } from '../../inventory/read.ts';
import type { LiveDocument } from '../compare/live.ts';
import { toEvaluate } from '../check/checker.ts';
import { placeLeftOut } from '../check/left-out.ts';
import { countImpact } from './impact.ts';
import type { Impact } from './impact.ts';
import { subjectsOf } from './impact-subjects.ts';
import type { Side, Subject } from './impact-subjects.ts';
import type { Plan } from './plan.ts';

/** Maximum number of resource types per query, limited by the length of a URL. */
const typesAtOnce = 50;
/** Maximum number of policies per request. */
const policiesAtOnce = 500;

/** A plan, and the live objects that it was made from. */
interface Planned {
  readonly plan: Plan;
  readonly live: readonly LiveDocument[];
}

/**
 * The impact on the service's inventory, evaluated by the service. `onSeen` receives the number of resources so far.
 * @param now milliseconds since the epoch
 */
export async function impactOnInventory(
  client: Client,
  { plan, live }: Planned,
  now: number,
  onSeen: (resources: number) => void,
): Promise<Impact> {
  const subjects = subjectsOf(plan, live);
  const counted = countImpact(subjects);
  const settle = settler(subjects, now);
  const before = subjects.flatMap((one) => one.before?.policy ?? []);
  const after = subjects.flatMap((one) => one.after?.policy ?? []);
  const types = [
    // One entry per type, whatever its case in Azure, so that each resource counts once.
    ...new Map(
      [...before, ...after].map(({ resource_type: type }) => [typeKey(type), type]),
    ).values(),
  ];
  let seen = 0;
  for (const type of queriesOf(types)) {
    for await (const page of pagesOf(client, type)) {
      const resources = page.filter((one) => types.some((each) => matchesType(each, one.type)));
      if (resources.length === 0) continue;
      counted.add(
        resources.length,
        await judge(client, resources, before),
        (await judge(client, resources, after)).map(settle),
      );
      seen += resources.length;
      onSeen(seen);
    }
  }
  const cost = await costOf(client, [...counted.newlyFailing()]);
  return { ...counted.result(), ...defined({ newly_failing_cost: cost }) };
}

/** Undefined: nothing is known, the login may not see it, or there are too many resources to ask for. */
async function costOf(client: Client, ids: string[]): Promise<ResourceCostSum | undefined> {
  if (ids.length === 0 || ids.length > mostPricedResources) return undefined;
  try {
    const { data } = await client.costResources.sum({ body: { resource_ids: ids } });
    return data.monthly_costs && data;
  } catch (error) {
    const isRefused = error instanceof GovctlError && error.error === 'insufficient_scope';
    if (isRefused || isPathMissing(error)) return undefined;
    throw error;
  }
}

/** The service knows the exemptions before the plan: a finding of it becomes what it is with those after the plan. */
function settler(subjects: readonly Subject[], now: number): (finding: Finding) => Finding {
  const byName = new Map(subjects.map((one) => [one.after?.policy.name, one]));
  const covers = (side: Side | undefined, id: string): boolean =>
    side?.exemptions.some((one) => isExempt(one, side, id, now)) ?? false;
  return (finding) => {
    const { status, policy, resource } = finding;
    const subject = byName.get(policy);
    if (status === 'FAIL' && covers(subject?.after, resource)) {
      return { ...finding, status: 'EXEMPT' };
    }
    const isLost = covers(subject?.before, resource) && !covers(subject?.after, resource);
    return status === 'EXEMPT' && isLost ? { ...finding, status: 'FAIL' } : finding;
  };
}

/** The filters of the lists that together have every resource of the types once. A server lists no patterns. */
function queriesOf(types: readonly string[]): (string | undefined)[] {
  if (types.some(isTypePattern)) return [undefined];
  const queries: string[] = [];
  for (let at = 0; at < types.length; at += typesAtOnce) {
    queries.push(types.slice(at, at + typesAtOnce).join(','));
  }
  return queries;
}

async function* pagesOf(
  client: Client,
  type: string | undefined,
): AsyncGenerator<readonly AnsweredResource[]> {
  const first = { ...defined({ type }), sort_by: 'id', order: 'asc', limit: 100 } as const;
  for (let cursor: string | undefined; ;) {
    const query = cursor === undefined ? first : { ...first, cursor };
    const { resources, pagination } = (await client.resources.list({ query })).data;
    if (resources.length > 0) yield resources;
    cursor = pagination.next_cursor;
    if (cursor === undefined) return;
  }
}

async function judge(
  client: Client,
  resources: readonly AnsweredResource[],
  policies: readonly PolicyInput[],
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (let at = 0; at < policies.length; at += policiesAtOnce) {
    const some = policies.slice(at, at + policiesAtOnce);
    for (const finding of await validate(client, resources, some)) found.push(finding);
  }
  return found;
}

/** Splits requests that are too large in halves: a single resource may be as large as a request. */
async function validate(
  client: Client,
  resources: readonly AnsweredResource[],
  policies: PolicyInput[],
): Promise<readonly Finding[]> {
  try {
    const { data } = await client.policies.validate({
      body: { resources: [...resources], policies, mode: 'failures' },
    });
    return data.results;
  } catch (error) {
    const isTooLarge = error instanceof GovctlError && error.error === 'body_too_large';
    if (!isTooLarge || resources.length < 2) throw error;
    const half = Math.ceil(resources.length / 2);
    return [
      ...(await validate(client, resources.slice(0, half), policies)),
      ...(await validate(client, resources.slice(half), policies)),
    ];
  }
}

/** The impact on the resources of an input. @throws GovctlError invalid_file */
export function impactOnInput(
  { plan, live }: Planned,
  { file, bytes }: { readonly file: string; readonly bytes: Uint8Array },
  now: number,
): Impact {
  const read = readInventory(bytes);
  if (!read.ok) {
    const { message, line, column } = read.problem;
    const place = [file, line, column].filter((part) => part !== undefined).join(':');
    throw new GovctlError('invalid_file', `${place}: ${message}`);
  }
  const { problems, leftOut, notices, locate } = read.inventory;
  const resources = read.inventory.resources.map(({ resource }) => resource);
  const subjects = subjectsOf(plan, live);
  const counted = countImpact(subjects);
  counted.add(
    resources.length,
    evaluateAll(
      subjects.flatMap(({ before }) => before ?? []),
      resources,
      now,
    ),
    evaluateAll(
      subjects.flatMap(({ after }) => after ?? []),
      resources,
      now,
    ),
  );
  const placed = (ones: readonly InputProblem[]) =>
    ones.length === 0 ? undefined : ones.map((one) => ({ file, ...one }));
  const left = leftOut.map((one) => placeLeftOut(one, file, locate(one.at)));
  return {
    ...counted.result(),
    ...defined({
      unreadable: placed(problems),
      left_out: left.length === 0 ? undefined : left,
      warnings: placed(notices),
    }),
  };
}

function evaluateAll(
  sides: readonly Side[],
  resources: readonly Resource[],
  now: number,
): Finding[] {
  const set = createPolicySet(sides.map(prepare));
  return resources.map(toEvaluate).flatMap((resource) =>
    set(resource.type)
      .map((one) => evaluate(one, resource, now, one.exemptions))
      .filter(({ status }) => status === 'FAIL' || status === 'ERROR'),
  );
}

/** @throws GovctlError policy_condition_invalid: other servers may accept conditions that do not compile here */
function prepare(side: Side) {
  try {
    return { ...side, ...preparePolicy(side) };
  } catch (cause) {
    throw new GovctlError('policy_condition_invalid', (cause as Error).message, { cause });
  }
}
