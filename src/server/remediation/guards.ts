import type { KnownResource } from '../../contract/resources.ts';
import type { Guards } from '../config/config.ts';
import type { Remediation } from '../../contract/remediations.ts';

/** Types with fewer resources have no limit by percent: one of three is a third. */
const fewest = 20;

export const defaultGuards: Guards = {
  max_resources: 100,
  max_percent: 10,
  max_accounts: 100,
  max_environments: 100,
  accounts: [],
  exclude_environments: [],
  exclude_tags: ['govctl.protect'],
};

/** Where an action reaches. */
export interface Reached {
  readonly resource_id: string;
  readonly resource_type: string;
  readonly provider: string;
  readonly account_id?: string | undefined;
  readonly environment?: string | undefined;
}

/** Why a resource must not be changed at all, if so. */
export function whyProtected(
  { account_id: account, environment, tags }: KnownResource,
  guards: Guards,
): string | undefined {
  if (environment !== undefined && isAmong(guards.exclude_environments, environment)) {
    return `environment ${environment} is excluded`;
  }
  const tag = guards.exclude_tags.find((one) => hasTag(tags, one));
  if (tag !== undefined) return `tag ${tag} excludes the resource`;
  if (guards.accounts.length > 0 && !guards.accounts.includes(account ?? '')) {
    return account === undefined
      ? 'the resource has no account, and only some accounts are allowed'
      : `account ${account} is not in the list of allowed accounts`;
  }
  return undefined;
}

const isAmong = (words: readonly string[], word: string): boolean =>
  words.some((one) => one.toLowerCase() === word.toLowerCase());

/** `key`, or `key=value`. */
function hasTag(tags: KnownResource['tags'], wanted: string): boolean {
  const [key = '', ...value] = wanted.split('=');
  if (!Object.hasOwn(tags, key)) return false;
  return value.length === 0 || tags[key] === value.join('=');
}

type Blast = Remediation['blast'];

/** What planned actions reach. @param countOf all resources of a type */
export function blastOf(reached: readonly Reached[], countOf: (type: string) => number): Blast {
  const byType = new Map<string, Set<string>>();
  for (const { resource_type: type, resource_id: id } of reached) {
    byType.set(type, (byType.get(type) ?? new Set()).add(id));
  }
  const shares = [...byType].map(([type, ids]) => percentOf(ids.size, countOf(type)));
  const distinct = (of: (one: Reached) => string | undefined): number =>
    new Set(reached.map(of).filter((value) => value !== undefined)).size;
  return {
    resources: distinct(({ resource_id: id }) => id),
    accounts: distinct(({ provider, account_id: account }) => account && `${provider} ${account}`),
    environments: distinct(({ environment }) => environment),
    percent: Math.max(0, ...shares),
  };
}

const percentOf = (part: number, all: number): number =>
  Math.round((1_000 * part) / Math.max(part, all, 1)) / 10;

/** All guards that planned actions violate, in words. */
export function whyNot(
  reached: readonly Reached[],
  countOf: (type: string) => number,
  guards: Guards,
): string[] {
  const { resources, accounts, environments } = blastOf(reached, countOf);
  const limits = [
    ['resources', resources, guards.max_resources],
    ['accounts', accounts, guards.max_accounts],
    ['environments', environments, guards.max_environments],
  ] as const;
  const types = new Set(reached.map(({ resource_type: type }) => type));
  const over = [...types].flatMap((type) => {
    const all = countOf(type);
    const its = reached.filter((one) => one.resource_type === type);
    const percent = percentOf(new Set(its.map(({ resource_id: id }) => id)).size, all);
    return all > fewest && percent > guards.max_percent
      ? [`${percent}% of all ${type}; max_percent is ${guards.max_percent}`]
      : [];
  });
  return [
    ...limits.flatMap(([what, count, most]) =>
      count > most ? [`${count} ${what}; max_${what} is ${most}`] : [],
    ),
    ...over,
  ];
}
