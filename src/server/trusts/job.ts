import type { JWTPayload } from 'jose';
import type { CiProvider } from '../../contract/trusts.ts';
import type { StoredTrust } from './collection.ts';

/** What a provider says of a job, as rules ask for it. */
export interface Job {
  readonly repository: string | undefined;
  readonly repositoryId: string | undefined;
  readonly ref: string | undefined;
  readonly environment: string | undefined;
  readonly event: string | undefined;
  /** The workflow run or pipeline, for the log. */
  readonly run: string | undefined;
}

/** The names of the claims. */
const claimNames: Readonly<Record<CiProvider, Readonly<Record<keyof Job, string>>>> = {
  github: {
    repository: 'repository',
    repositoryId: 'repository_id',
    ref: 'ref',
    environment: 'environment',
    event: 'event_name',
    run: 'run_id',
  },
  gitlab: {
    repository: 'project_path',
    repositoryId: 'project_id',
    ref: 'ref_path',
    environment: 'environment',
    event: 'pipeline_source',
    run: 'pipeline_id',
  },
};

export function jobOf(provider: CiProvider, claims: JWTPayload): Job {
  const names = claimNames[provider];
  return {
    repository: textOf(claims[names.repository]),
    repositoryId: textOf(claims[names.repositoryId]),
    ref: textOf(claims[names.ref]) ?? olderRef(provider, claims),
    environment: textOf(claims[names.environment]),
    event: textOf(claims[names.event]),
    run: textOf(claims[names.run]),
  };
}

/** IDs are numbers in some versions of GitLab. */
function textOf(claim: unknown): string | undefined {
  if (typeof claim === 'string' && claim !== '') return claim;
  return Number.isSafeInteger(claim) ? String(claim) : undefined;
}

/** GitLab before 16.0 has the short name, and of what it is, apart. */
function olderRef(
  provider: CiProvider,
  { ref, ref_type: type }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (provider !== 'gitlab' || typeof ref !== 'string') return undefined;
  if (type === 'branch') return `refs/heads/${ref}`;
  return type === 'tag' ? `refs/tags/${ref}` : undefined;
}

/** Whether a rule is for the repository of a job, whatever else it asks for. */
export function isOfSameRepository(rule: StoredTrust, job: Job): boolean {
  const isSameId = rule.repository_id !== undefined && rule.repository_id === job.repositoryId;
  return isSameId || rule.repository.toLowerCase() === job.repository?.toLowerCase();
}

/** Which claim keeps a job of the rule's repository out, in words; undefined: the rule lets it in. */
export function differenceOf(rule: StoredTrust, job: Job): string | undefined {
  const names = claimNames[rule.provider];
  // The ID decides where there is one: the repository may have another name by now.
  if (rule.repository_id !== undefined && rule.repository_id !== job.repositoryId) {
    return differs(names.repositoryId, job.repositoryId, rule.repository_id);
  }
  if (rule.ref !== undefined && !isRef(rule.ref, job.ref)) {
    return differs(names.ref, job.ref, rule.ref);
  }
  if (rule.environment !== undefined && rule.environment !== job.environment) {
    return differs(names.environment, job.environment, rule.environment);
  }
  if (job.event === undefined || !rule.events.includes(job.event)) {
    return differs(names.event, job.event, rule.events.join(' or '));
  }
  return undefined;
}

const isRef = (wanted: string, ref: string | undefined): boolean =>
  ref !== undefined &&
  (wanted.endsWith('*') ? ref.startsWith(wanted.slice(0, -1)) : ref === wanted);

const longest = 200;

const differs = (claim: string, has: string | undefined, wants: string): string =>
  `${claim} is ${has === undefined ? 'absent' : has.slice(0, longest)}, not ${wants.slice(0, longest)}`;
