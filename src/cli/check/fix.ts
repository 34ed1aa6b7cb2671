import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { actOf, readRemediationAction } from '../../contract/remediation-action.ts';
import type { Fields } from '../../inventory/json.ts';
import { isFields } from '../../inventory/json.ts';
import type { ReadOptions } from '../../inventory/model.ts';
import { parseInput } from '../../inventory/read.ts';
import { createChecker } from '../../project/check/checker.ts';
import { isStandardInput } from '../../project/check/discover-inputs.ts';
import type { InputFile } from '../../project/check/discover-inputs.ts';
import { exemptionsFor } from '../../project/check/exemptions.ts';
import type { Outcome, Patches } from '../../project/fix/fix-in-turn.ts';
import { fixSources } from '../../project/fix/fix-sources.ts';
import { fixTemplate } from '../../project/fix/fix-template.ts';
import { replacementsOf } from '../../project/fix/replacements.ts';
import type { Replacement } from '../../project/fix/replacements.ts';
import { unifiedDiff } from '../../project/fix/unified-diff.ts';
import { createJudge } from '../../project/fix/verify.ts';
import type { Judge } from '../../project/fix/verify.ts';
import type { Holding, LoadedProject, LocalPolicy } from '../../project/model.ts';
import { createBoundary, leadsOutside } from '../../project/read/boundary.ts';
import { showPath } from '../../project/read/discover.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import { takingTurns } from '../../project/read/turns.ts';
import { changedMeanwhile, replaceFile } from '../../project/write/replace-file.ts';
import { findPlace } from '../flags/place-to-write.ts';
import type { WritesFrom } from '../flags/place-to-write.ts';
import type { PlacedFinding } from './placed-finding.ts';
import { readSources } from './source-places.ts';
import { compareSeverity } from './verdict.ts';

/** What became of one finding whose policy has a patch. */
interface Fix {
  readonly policy: string;
  readonly resource: string;
  readonly file: string;
  readonly offered: boolean;
  /** Why there is no fix. */
  readonly why?: string;
}

export interface Fixes {
  readonly fixes: readonly Fix[];
  /** What changes in a file, as `git apply` takes it. */
  readonly diffs: readonly {
    readonly file: string;
    readonly diff: string;
    readonly written: boolean;
  }[];
  /** Failing findings of policies without a patch. */
  readonly unpatched: number;
  /** What each fix changes by itself, where that was asked for: by `fixKey`. */
  readonly alone: ReadonlyMap<string, readonly ChangedFile[]>;
}

interface ChangedFile {
  readonly file: string;
  readonly replacements: readonly Replacement[];
}

/** Of a finding. */
export const fixKey = ({
  policy,
  resource,
  file,
}: Pick<Fix, 'policy' | 'resource' | 'file'>): string => JSON.stringify([policy, resource, file]);

interface FixInput extends WritesFrom {
  readonly findings: readonly PlacedFinding[];
  readonly policies: readonly LocalPolicy[];
  readonly others: LoadedProject['others'];
  readonly files: readonly InputFile[];
  /** The folder of the root module, as it was typed. */
  readonly source: string | undefined;
  /** Values for the parameters of patches. */
  readonly parameters: Patches['parameters'];
  readonly now: number;
  /** How the templates were read. */
  readonly read: () => Promise<ReadOptions>;
  readonly write: boolean;
  /** Whether to find out what each fix changes by itself. */
  readonly eachAlone: boolean;
  readonly signal: AbortSignal;
  readonly holding: Holding;
}

/** What is done for the findings of one file, or of the sources of one root module. */
interface Ground extends FixInput {
  readonly patches: Patches;
  readonly judge: (format: 'cloudformation' | 'terraform') => Judge;
}

type Fixed = Omit<Fixes, 'unpatched' | 'alone'> & {
  readonly alone: readonly (readonly [string, readonly ChangedFile[]])[];
};

/** Bytes of a template. Each fix reads it anew and asks all policies. */
const largestFile = 1024 * 1024;
/** Bytes of a plan. */
const largestPlan = 64 * 1024 * 1024;

/**
 * Fixes for failing findings, file by file, the gravest first: each is tried on the text with those before it, and offered
 * where the finding passes afterwards and nothing else is worse. @throws GovctlError interrupted; usage_error for sources
 * that can't be read
 */
export async function findFixes(input: FixInput): Promise<Fixes> {
  const { findings, policies, others, now, signal, holding, files } = input;
  const byPolicy: Patches['byPolicy'] = new Map(
    policies.flatMap(({ policy }) => {
      const action = actOf(readRemediationAction(policy.remediation_action ?? ''));
      return action.kind === 'patch' ? [[policy.name, action.patch] as const] : [];
    }),
  );
  const failing = findings.filter(({ status }) => status === 'FAIL');
  const patched = failing.filter(({ policy }) => byPolicy.has(policy));
  const checker = createChecker({
    policies: policies.map(({ policy, key }) => ({ policy, key })),
    exemptions: exemptionsFor(policies, others).map(({ exemption }) => exemption),
    now,
    all: false,
  });
  const options = await input.read();
  const turn = takingTurns(100, signal);
  const ground: Ground = {
    ...input,
    patches: { byPolicy, parameters: input.parameters },
    judge: (format) => createJudge(format, options, checker, turn, holding),
  };
  const byFile = new Map(files.map((file) => [file.file, file]));
  const inSources = patched.filter(({ file }) => !byFile.has(file));
  const found: Fixed[] = [];
  for (const name of new Set(patched.map(({ file }) => file))) {
    const file = byFile.get(name);
    const its = patched.filter((one) => one.file === name);
    if (file) found.push(await fixFile(file, gravestFirst(its), ground));
  }
  if (inSources.length > 0) found.push(await fixPlans(gravestFirst(inSources), ground));
  return {
    fixes: found.flatMap(({ fixes }) => fixes),
    diffs: found.flatMap(({ diffs }) => diffs),
    unpatched: failing.length - patched.length,
    alone: new Map(found.flatMap(({ alone }) => alone)),
  };
}

const gravestFirst = (findings: readonly PlacedFinding[]): PlacedFinding[] =>
  findings.toSorted((a, b) => compareSeverity(a.severity, b.severity) || a.line - b.line);

async function fixFile(
  file: InputFile,
  findings: readonly PlacedFinding[],
  ground: Ground,
): Promise<Fixed> {
  const { patches, judge, source } = ground;
  const refused = (why: string): Fixed => ({
    fixes: findings.map((one) => fixOf(one, why)),
    diffs: [],
    alone: [],
  });
  if (await readPlan(file)) {
    return refused(
      source === undefined
        ? 'pass --source with the directory of the .tf files'
        : `no .tf file in ${source} declares the resource`,
    );
  }
  const text = await readText(file, largestFile);
  if ('why' in text) return refused(text.why);
  const found = await fixTemplate(text.text, findings, patches, judge('cloudformation'), ground);
  const diff = await settle(file, text, found.text, ground);
  if ('why' in diff) return refused(diff.why);
  const alone = found.outcomes.flatMap(({ finding, alone: after }) =>
    after === undefined ? [] : [[fixKey(finding), changedOf(file.file, text.text, after)] as const],
  );
  return { fixes: found.outcomes.map(fixOfOutcome), diffs: diff.diffs, alone };
}

/** Fixes in the `.tf` files, judged by all plans among the inputs. */
async function fixPlans(findings: readonly PlacedFinding[], ground: Ground): Promise<Fixed> {
  const { cwd, source = '.', files, patches, judge, allowOutside, signal } = ground;
  const root = path.resolve(cwd, source);
  const boundary = createBoundary(root, [], allowOutside);
  const sources = await readSources(root, source, boundary, signal);
  const plans: Fields[] = [];
  for (const file of files) {
    const plan = await readPlan(file);
    if (plan) plans.push(plan);
  }
  const texts = new Map(sources.map(({ path: name, text }) => [name, text]));
  const given = { texts, plans };
  const found = await fixSources(given, findings, patches, judge('terraform'), ground);
  const diffs: Fixed['diffs'][number][] = [];
  const failed = new Map<string, string>();
  for (const [name, after] of found.texts) {
    if (after === texts.get(name)) continue;
    const absolute = path.join(root, name);
    const file = { file: showPath(cwd, absolute), absolute };
    const before = await readText(file, Infinity);
    const done =
      'why' in before
        ? before
        : before.text === texts.get(name)
          ? await settle(file, before, after, ground)
          : { why: `not written: ${changedMeanwhile}` };
    if ('why' in done) failed.set(file.file, done.why);
    else diffs.push(...done.diffs);
  }
  return {
    fixes: found.outcomes.map((one) => {
      const why = failed.get(one.finding.file);
      return why === undefined ? fixOfOutcome(one) : fixOf(one.finding, why);
    }),
    diffs,
    alone: found.outcomes.flatMap(({ finding, alone: after }) => {
      if (!after) return [];
      const changed = [...after.texts].flatMap(([name, text]) =>
        changedOf(showPath(cwd, path.join(root, name)), texts.get(name) ?? '', text),
      );
      return [[fixKey(finding), changed] as const];
    }),
  };
}

function changedOf(file: string, before: string, after: string): readonly ChangedFile[] {
  const replacements = before === after ? [] : replacementsOf(before, after);
  return replacements.length === 0 ? [] : [{ file, replacements }];
}

const fixOf = ({ policy, resource, file }: PlacedFinding, why: string | undefined): Fix => ({
  policy,
  resource,
  file,
  offered: why === undefined,
  ...(why === undefined ? {} : { why }),
});

const fixOfOutcome = ({ finding, why }: Outcome<PlacedFinding, unknown>): Fix =>
  fixOf(finding, why);

/** A plan of Terraform; undefined for anything else, and for what can't be read: a check has told of that. */
async function readPlan(file: InputFile): Promise<Fields | undefined> {
  if (isStandardInput(file) || file.size > largestPlan || !/\.json$/i.test(file.file))
    return undefined;
  const bytes = await readFile(file.absolute).catch(() => undefined);
  const parse = bytes && parseInput(bytes);
  const document = parse?.ok ? parse.parsed.document : undefined;
  if (!isFields(document)) return undefined;
  return 'resource_changes' in document || 'planned_values' in document ? document : undefined;
}

/** The diff of a file, and the file changed where it is to be. */
async function settle(
  file: Pick<InputFile, 'file' | 'absolute'>,
  before: TextRead,
  after: string,
  ground: Pick<Ground, 'write' | keyof WritesFrom>,
): Promise<Pick<Fixes, 'diffs'> | { readonly why: string }> {
  const diff = unifiedDiff(file.file, before.text, after);
  if (diff === '') return { diffs: [] };
  const { write } = ground;
  const why = write ? await writeText(file, before.bytes, after, ground) : undefined;
  return why === undefined ? { diffs: [{ file: file.file, diff, written: write }] } : { why };
}

interface TextRead {
  readonly text: string;
  readonly bytes: Uint8Array;
}

async function readText(
  file: Pick<InputFile, 'file' | 'absolute'> & { readonly size?: number },
  largest: number,
): Promise<TextRead | { readonly why: string }> {
  if (file.absolute === '-') return { why: 'standard input cannot be changed' };
  if ((file.size ?? 0) > largest) return { why: 'the file is larger than 1 MiB' };
  try {
    const bytes = await readFile(file.absolute);
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(bytes), bytes };
  } catch (error) {
    return {
      why: error instanceof TypeError ? 'the file is not valid UTF-8' : whyFileFailed(error),
    };
  }
}

/** Replaces a file. Why it was not, where it was not. */
async function writeText(
  { absolute }: Pick<InputFile, 'absolute'>,
  before: Uint8Array,
  text: string,
  from: WritesFrom,
): Promise<string | undefined> {
  try {
    const found = findPlace(from, absolute);
    if ('outside' in found) return `not written: ${leadsOutside(found.outside).message}`;
    await replaceFile(found.place, text, { before });
    return undefined;
  } catch (error) {
    return `not written: ${whyFileFailed(error)}`;
  }
}
