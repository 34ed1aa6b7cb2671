import path from 'node:path';
import type { ErrorDetail } from '../../contract/errors.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { compareDocuments } from '../../project/compare/compare.ts';
import type { Blocked, Comparison } from '../../project/compare/comparison.ts';
import { findRenames } from '../../project/compare/find-renames.ts';
import { isOwnedBy } from '../../project/compare/live.ts';
import type { Kind } from '../../project/kinds/kind.ts';
import { kinds, nounOf } from '../../project/kinds/kinds.ts';
import type { LoadedProject } from '../../project/model.ts';
import type { Refusal } from '../../project/plan/guards.ts';
import { guardDeletions, guardSelection, noteDeletions } from '../../project/plan/guards.ts';
import type { Plan } from '../../project/plan/plan.ts';
import { makePlan } from '../../project/plan/plan.ts';
import type { Context } from '../context.ts';
import { notPlanned } from '../formats/other-kinds.ts';
import type { Repo } from './read-repo.ts';
import { readRepo } from './read-repo.ts';

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

export interface Prepared extends Repo {
  readonly plan: Plan;
  readonly comparisons: readonly Comparison[];
  readonly blocked: readonly Blocked[];
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
    local: {
      Policy: project.policies.length,
      Webhook: project.webhooks.length,
      Schedule: project.schedules.length,
    },
    prune: options.prune ?? false,
    partial:
      !coversProject(project, context.world.cwd, paths) ||
      (options.target?.length ?? 0) + (options.exclude?.length ?? 0) > 0,
    allowEmpty: options.allowEmpty ?? false,
    maxDelete: options.maxDelete ?? project.config.guards.max_delete,
  });
  const repo = await readRepo(context, paths, options, {
    check: (project) => refuseGuards(guardSelection(facts(project))),
    needs: (names) => isPicked(options, names),
  });
  const { project, owner, documents, live, baseUrl, service } = repo;
  const owned = live.filter(isOwnedBy(owner));
  const selects = selectKeys(options, [
    ...documents.flatMap(({ kind, key, body }) =>
      [kind.titleOf(body), kind.identityOf(body)].map((name) => ({ key, name })),
    ),
    ...owned.flatMap(({ ownership: { key }, title }) => (key ? [{ key, name: title }] : [])),
  ]);
  const allFiles = coversProject(project, context.world.cwd, paths);
  const prune = options.prune ?? false;
  const comparisons = kinds.flatMap((kind) =>
    compareDocuments(
      owner,
      documents.filter((each) => each.kind === kind),
      live.filter((each) => each.kind === kind),
      { allFiles, selects, prune },
      service[kind.name].keepsTags,
    ),
  );
  const ownedOf = (kind: Kind): number => owned.filter((each) => each.kind === kind).length;
  const deletionFacts = {
    ...facts(project),
    owned: Object.fromEntries(kinds.map((kind) => [kind.name, ownedOf(kind)])),
  };
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
      ...noteService(repo, comparisons),
      ...notPlanned(project.others),
      ...(allFiles
        ? []
        : [
            'Only a part of the files was read, so what is live without a file was not looked for.',
          ]),
    ],
  };
}

/** What the service did on its own, and what it lacks for what is planned. */
function noteService({ service, documents }: Repo, comparisons: readonly Comparison[]): string[] {
  const untagged = kinds.filter(
    (kind) =>
      service[kind.name].keepsTags === false && documents.some((each) => each.kind === kind),
  );
  return [
    ...comparisons.flatMap((each) => {
      if (each.kind !== 'unchanged' && each.kind !== 'update') return [];
      return each.local.kind.noteOn(each.local, each.live.item) ?? [];
    }),
    ...untagged.map(
      ({ noun, identity }) =>
        `This server keeps no tags on ${noun.many}: each is known by its ${identity}, what its file leaves out stays as it is, and none is pruned.`,
    ),
  ];
}

/** Whether the flags leave a document in; what they name that is nothing is refused later, when all names are known. */
function isPicked(
  { target = [], exclude = [] }: SelectionOptions,
  names: readonly (string | undefined)[],
): boolean {
  const isNamed = (given: readonly string[]): boolean => given.some((word) => names.includes(word));
  return (target.length === 0 || isNamed(target)) && !isNamed(exclude);
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
  const { one, many } = nounOf(blocked.map(({ local }) => ({ kind: local.kind.name })));
  throw new GovctlError(
    'ownership_conflict',
    `${blocked.length === 1 ? `A ${one}` : `${blocked.length} ${many}`} can not be planned; nothing can be applied until ${blocked.length === 1 ? 'it is' : 'they are'} settled or left out with --exclude`,
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
        throw new GovctlError(
          'usage_error',
          `${flag} ${word}: no policy or schedule has this key or name, and no webhook this key, name or url`,
          {
            hint: near ? `Did you mean ${near}?` : '`govctl plan -o json` shows the keys.',
          },
        );
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
