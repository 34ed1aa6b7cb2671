import path from 'node:path';
import type { Client } from '../../client/client.ts';
import { listAllPolicies } from '../../client/policies.ts';
import type { ErrorDetail } from '../../contract/errors.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import type { Comparison, LivePolicy } from '../../project/compare/compare.ts';
import { comparePolicies, readLive } from '../../project/compare/compare.ts';
import { loadConfig } from '../../project/config.ts';
import { findRenames } from '../../project/compare/find-renames.ts';
import type { Refusal } from '../../project/plan/guards.ts';
import { guardDeletions, guardSelection, noteDeletions } from '../../project/plan/guards.ts';
import { loadProject } from '../../project/read/load.ts';
import type { LoadedProject, Problem } from '../../project/model.ts';
import type { Plan } from '../../project/plan/plan.ts';
import { makePlan } from '../../project/plan/plan.ts';
import { connect } from '../connect.ts';
import type { Context } from '../context.ts';
import { fromWorkspace, renderGithub } from '../report/github.ts';
import { renderMarkdown } from '../report/markdown.ts';
import { notPlannedYet } from '../report/other-kinds.ts';
import { count } from '../report/printable.ts';
import { renderProblems } from '../report/problems-text.ts';

/** What a plan is about: options that plan, apply and diff share. */
export interface SelectionOptions {
  readonly project?: string;
  readonly prune?: boolean;
  readonly target?: readonly string[];
  readonly exclude?: readonly string[];
  readonly allowEmpty?: boolean;
  /** Percent. */
  readonly maxDelete?: number;
}

export interface Repo {
  readonly project: LoadedProject;
  /** The owner of what this repo applies. */
  readonly owner: string;
  readonly client: Client;
  readonly baseUrl: string;
  readonly live: readonly LivePolicy[];
}

export interface Prepared extends Repo {
  readonly plan: Plan;
  readonly comparisons: readonly Comparison[];
  readonly blocked: readonly Extract<Comparison, { kind: 'blocked' }>[];
  readonly refusals: readonly Refusal[];
  /** Lines about what the plan does not cover. */
  readonly notes: readonly string[];
}

/**
 * Reads the files while the service is listed, compares, and makes the plan.
 * @throws GovctlError invalid_file for what is wrong in the files (shown already), guard_refused before asking the service
 */
export async function preparePlan(
  context: Context,
  paths: readonly string[],
  options: SelectionOptions,
): Promise<Prepared> {
  const facts = (project: LoadedProject) => ({
    local: project.policies.length,
    prune: options.prune ?? false,
    partial:
      !coversProject(project, context.world.cwd, paths) ||
      (options.target?.length ?? 0) + (options.exclude?.length ?? 0) > 0,
    allowEmpty: options.allowEmpty ?? false,
    maxDelete: options.maxDelete ?? project.config.guards.max_delete,
  });
  const repo = await readRepo(context, paths, options, (project) =>
    refuseGuards(guardSelection(facts(project))),
  );
  const { project, owner, live, baseUrl } = repo;
  const owned = live.filter(({ ownership }) => ownership.owner === owner && !ownership.disputed);
  const selects = selectKeys(options, [
    ...project.policies.map(({ key, policy }) => ({ key, name: policy.name })),
    ...owned.flatMap(({ ownership: { key }, policy }) => (key ? [{ key, name: policy.name }] : [])),
  ]);
  const allFiles = coversProject(project, context.world.cwd, paths);
  const prune = options.prune ?? false;
  const comparisons = comparePolicies(owner, project.policies, live, {
    allFiles,
    selects,
    prune,
  });
  const deletionFacts = { ...facts(project), owned: owned.length };
  return {
    ...repo,
    comparisons,
    blocked: comparisons.filter((each) => each.kind === 'blocked'),
    refusals: guardDeletions(comparisons, deletionFacts),
    plan: makePlan(comparisons, prune, {
      project: owner,
      baseUrl,
      now: context.world.now(),
    }),
    notes: [
      ...noteDeletions(comparisons, deletionFacts),
      ...findRenames(comparisons).map(
        ({ local, key, formerName }) =>
          `${local.key} (${local.place.file}:${local.place.line}) has the same content as ${JSON.stringify(formerName)}; give it \`key: ${key}\` to make this a rename.`,
      ),
      ...notPlannedYet(project.others),
      ...(allFiles
        ? []
        : ['Only a part of the files was read, so policies without a file were not looked for.']),
    ],
  };
}

/**
 * Reads files and service at the same time.
 * @param check looks at the files before anything is waited for
 */
export async function readRepo(
  context: Context,
  paths: readonly string[],
  options: { readonly project?: string },
  check: (project: LoadedProject) => void = () => {},
): Promise<Repo> {
  const { cwd } = context.world;
  return context.progress('Reading files and the service', async (update) => {
    const { config, problems } = loadConfig(cwd);
    // A broken govctl.yaml may name another service than the one that would be asked; it is refused below.
    const listing = problems.some(({ level }) => level === 'error')
      ? Promise.reject(new GovctlError('invalid_file', 'govctl.yaml is not valid'))
      : listLive(context, config.base_url, (amount) =>
          update(`Reading the service: ${count(amount, 'policy', 'policies')}`),
        );
    // What is wrong in the files is said first; the listing's own failure may wait, or never be asked for.
    listing.catch(() => {});
    const project = await loadProject({
      cwd,
      paths,
      now: context.world.now(),
      ...(options.project === undefined ? {} : { project: options.project }),
    });
    await refuseProblems(context, project.problems);
    const owner = project.config.project;
    if (owner === undefined) {
      throw new GovctlError(
        'usage_error',
        'No project is named, so whose policies these are is not known',
        {
          hint: 'Write `project: NAME` into govctl.yaml (`govctl init` makes one), or give --project NAME.',
        },
      );
    }
    check(project);
    return { project, owner, ...(await listing) };
  });
}

async function listLive(
  context: Context,
  projectBaseUrl: string | undefined,
  onPage: (amount: number) => void,
): Promise<Pick<Repo, 'client' | 'baseUrl' | 'live'>> {
  const { client, baseUrl } = await connect(context, projectBaseUrl);
  const live: LivePolicy[] = [];
  for await (const policy of listAllPolicies(client)) {
    live.push(readLive(policy));
    if (live.length % 100 === 0) onPage(live.length);
  }
  return { client, baseUrl, live };
}

/** Shows what is wrong as `validate` does. @throws GovctlError invalid_file when any of it is an error */
async function refuseProblems(context: Context, problems: readonly Problem[]): Promise<void> {
  const errors = problems.filter(({ level }) => level === 'error');
  if (errors.length === 0) {
    if (problems.length > 0) {
      await context.say(
        `${count(problems.length, 'warning')} in the files; \`govctl validate\` shows ${problems.length === 1 ? 'it' : 'them'}.`,
      );
    }
    return;
  }
  const { cwd, env } = context.world;
  const files = new Set(errors.map(({ file }) => file)).size;
  const verdict = `${count(errors.length, 'error')} in ${count(files, 'file')}; nothing was planned`;
  await context.show({
    value: { problems },
    rows: () => problems,
    human: (style, columns) => `${renderProblems(problems, style, columns)}\n`,
    more: {
      github: () => renderGithub(fromWorkspace(problems, cwd, env)),
      markdown: () => renderMarkdown('govctl', verdict, problems),
    },
  });
  throw new GovctlError('invalid_file', verdict);
}

/** @throws GovctlError guard_refused */
export function refuseGuards(refusals: readonly Refusal[]): void {
  const [first, ...rest] = refusals;
  if (!first) return;
  throw new GovctlError('guard_refused', first.message, {
    details: rest.map(({ guard, message, hint }) => ({
      field: guard,
      message: `${message}\n${hint}`,
    })),
    hint: first.hint,
  });
}

/** What stands in the way, named only where the plan did not show it. @throws GovctlError ownership_conflict */
export function refuseBlocked({ flags }: Context, blocked: Prepared['blocked']): void {
  const [first] = blocked;
  if (!first) return;
  const unseen = flags.quiet ? blocked : [];
  const details = unseen.map(({ local, reason, hint }): ErrorDetail => ({
    field: `${local.key} (${local.place.file}:${local.place.line})`,
    message: `${reason}\n${hint}`,
  }));
  throw new GovctlError(
    'ownership_conflict',
    `${blocked.length === 1 ? 'A policy' : `${blocked.length} policies`} can not be planned; nothing can be applied until ${blocked.length === 1 ? 'it is' : 'they are'} settled or left out with --exclude`,
    { details },
  );
}

/** A name stands for its key. @throws GovctlError usage_error for what is neither */
function selectKeys(
  { target = [], exclude = [] }: SelectionOptions,
  known: readonly { readonly key: string; readonly name: string }[],
): (key: string) => boolean {
  const keys = new Set(known.map(({ key }) => key));
  const named = new Map(known.map(({ key, name }) => [name, key]));
  const keysOf = (flag: string, given: readonly string[]): Set<string> =>
    new Set(
      given.map((word) => {
        const key = keys.has(word) ? word : named.get(word);
        if (key !== undefined) return key;
        const near = nearestWord(word, [...keys, ...named.keys()]);
        throw new GovctlError('usage_error', `${flag} ${word}: no policy has this key or name`, {
          hint: near ? `Did you mean ${near}?` : '`govctl plan -o json` shows the keys.',
        });
      }),
    );
  const [wanted, unwanted] = [keysOf('--target', target), keysOf('--exclude', exclude)];
  return (key) => (wanted.size === 0 || wanted.has(key)) && !unwanted.has(key);
}

/** Whether the given paths hold all that the project's own paths hold. */
function coversProject(
  { config, root }: LoadedProject,
  cwd: string,
  paths: readonly string[],
): boolean {
  if (paths.length === 0) return true;
  const given = paths.map((each) => path.resolve(cwd, each));
  return config.paths
    .map((each) => path.resolve(root, each))
    .every((own) => given.some((each) => own === each || own.startsWith(each + path.sep)));
}
