import path from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { compareDocuments } from '../compare/compare.ts';
import type { Blocked, Comparison } from '../compare/comparison.ts';
import { isOwnedBy } from '../compare/live.ts';
import type { Body, Kind } from '../kinds/kind.ts';
import { kinds } from '../kinds/kinds.ts';
import type { LoadedProject } from '../model.ts';
import type { Refusal } from './guards.ts';
import { deleteLimit } from './guards.ts';
import {
  guardCheckout,
  guardDeletions,
  guardSelection,
  noteDeletions,
  refuseGuards,
} from './guards.ts';
import { explainApplied } from './applied-elsewhere.ts';
import { isInHistory, listNotCheckedOut } from './origin.ts';
import type { Plan } from './plan.ts';
import { makePlan } from './plan.ts';
import type { Outside, Repo } from './read-repo.ts';
import { readRepo } from './read-repo.ts';

/** The options that plan, apply and diff share. */
export interface SelectionOptions {
  readonly project?: string;
  readonly prune?: boolean;
  readonly target?: readonly string[];
  readonly exclude?: readonly string[];
  readonly allowEmpty?: boolean;
  /** Percent. */
  readonly maxDelete?: number;
}

interface Prepared extends Repo {
  readonly plan: Plan;
  readonly comparisons: readonly Comparison[];
  readonly blocked: readonly Blocked[];
  readonly refusals: readonly Refusal[];
  /** Notes about what the plan does not cover. */
  readonly notes: readonly string[];
}

/**
 * Reads the files and lists the service at the same time, compares, and makes the plan.
 * @throws GovctlError invalid_file for problems in the files (already shown), guard_refused before the first request
 */
export async function preparePlan(
  outside: Outside,
  paths: readonly string[],
  options: SelectionOptions,
): Promise<Prepared> {
  const facts = (project: LoadedProject) => ({
    local: {
      Policy: project.policies.length,
      Webhook: project.webhooks.length,
      Schedule: project.schedules.length,
      Exemption: project.exemptions.length,
      Framework: project.frameworks.length,
      Budget: project.budgets.length,
    },
    prune: options.prune ?? false,
    partial:
      !coversProject(project, outside.reading.cwd, paths) ||
      (options.target?.length ?? 0) + (options.exclude?.length ?? 0) > 0,
    allowEmpty: options.allowEmpty ?? false,
    maxDelete: deleteLimit(options.maxDelete, project.config.guards.max_delete),
  });
  const repo = await readRepo(outside, paths, options, {
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
  const allFiles = coversProject(project, outside.reading.cwd, paths);
  const prune = options.prune ?? false;
  const compared = kinds.flatMap((kind) =>
    compareDocuments(
      owner,
      {
        local: documents.filter((each) => each.kind === kind),
        live: live.filter((each) => each.kind === kind),
        keepsTags: service[kind.name].keepsTags,
      },
      { allFiles, selects, prune },
    ),
  );
  const comparisons = await explainApplied(compared, (commit) =>
    isInHistory(commit, { cwd: outside.reading.cwd, env: outside.env }),
  );
  const ownedOf = (kind: Kind): number => owned.filter((each) => each.kind === kind).length;
  const deletionFacts = {
    ...facts(project),
    owned: Object.fromEntries(kinds.map((kind) => [kind.name, ownedOf(kind)])),
  };
  const notCheckedOut = prune
    ? await listNotCheckedOut(project.config.paths, { cwd: project.root, env: outside.env })
    : [];
  return {
    ...repo,
    comparisons,
    blocked: comparisons.filter((each) => each.kind === 'blocked'),
    refusals: [
      ...guardCheckout(comparisons, { prune, notCheckedOut }),
      ...guardDeletions(comparisons, deletionFacts),
    ],
    plan: makePlan(comparisons, prune, {
      project: owner,
      baseUrl,
      now: outside.now(),
    }),
    notes: [
      ...noteDeletions(comparisons, deletionFacts),
      ...noteRenames(comparisons),
      ...noteService(repo, comparisons),
      ...noteOver(comparisons),
      ...(allFiles
        ? []
        : ['Only some of the files were read, so live objects without a file are not listed.']),
    ],
  };
}

/** Documents that are not applied, because what they declare has ended. */
const noteOver = (comparisons: readonly Comparison[]): string[] =>
  comparisons.flatMap((comparison) => {
    if (comparison.kind !== 'over') return [];
    const { kind, key, place } = comparison.local;
    const where = `${kind.noun.one} ${key} (${place.file}:${place.line})`;
    return [`Not applied: ${where}, ${comparison.reason}.`];
  });

/** New documents that differ only by name from a live one without a file: probably renames without a `key`. */
function noteRenames(comparisons: readonly Comparison[]): string[] {
  const orphans = new Map<string, { key: string; formerName: string }>();
  for (const comparison of comparisons) {
    if (comparison.kind !== 'orphan') continue;
    const { kind, ownership, title, content } = comparison.live;
    // Those of ours are known by what they are about, and a new one is about something else.
    if (ownership.key === undefined || kind.isOurs) continue;
    orphans.set(withoutIdentity(kind, content), { key: ownership.key, formerName: title });
  }
  if (orphans.size === 0) return [];
  return comparisons.flatMap((comparison) => {
    if (comparison.kind !== 'create') return [];
    const { kind, body } = comparison.local;
    const former = orphans.get(withoutIdentity(kind, kind.content(body)));
    if (!former) return [];
    const { key, place } = comparison.local;
    return [
      `${key} (${place.file}:${place.line}) has the same content as ${JSON.stringify(former.formerName)}; set \`key: ${former.key}\` to make this a rename.`,
    ];
  });
}

const withoutIdentity = (kind: Kind, content: Body): string =>
  `${kind.name} ${kind.hash({ ...content, [kind.identity]: '' })}`;

/** Notes about what the service changed itself, and what it lacks for this plan. */
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
        `This server does not store tags of ${noun.many}: they are identified by ${identity} and never pruned, and fields omitted in the file are not changed.`,
    ),
  ];
}

/** Whether the flags select a document; unknown names are refused later, when all names are known. */
function isPicked(
  { target = [], exclude = [] }: SelectionOptions,
  names: readonly (string | undefined)[],
): boolean {
  const isNamed = (given: readonly string[]): boolean => given.some((word) => names.includes(word));
  return (target.length === 0 || isNamed(target)) && !isNamed(exclude);
}

/** Resolves a name to its key. @throws GovctlError usage_error for an unknown name or key */
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
          `${flag} ${word}: no document has this key, name or URL`,
          {
            hint: near ? `Did you mean ${near}?` : 'Use `govctl plan -o json` to list the keys.',
          },
        );
      }),
    );
  const [wanted, unwanted] = [keysOf('--target', target), keysOf('--exclude', exclude)];
  return (key) => (wanted.size === 0 || wanted.has(key)) && !unwanted.has(key);
}

/** Whether the given paths include all of the project's own paths. */
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
