import { defined } from '../../contract/defined.ts';
import path from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import { createLabelProblems } from './check-labels.ts';
import type { LocatedLabels } from './check-labels.ts';
import { checkReferences } from './check-references.ts';
import type { LocatedOther } from './check-references.ts';
import { loadConfig, projectName } from '../config.ts';
import { findDuplicates } from './find-duplicates.ts';
import type { LocatedIdentity } from './find-duplicates.ts';
import { createBoundary } from './boundary.ts';
import type { Boundary } from './boundary.ts';
import { discoverFiles } from './discover.ts';
import type { FoundFile, Start } from './discover.ts';
import { inputFiles } from '../documents/policy-test.ts';
import type {
  Holding,
  LoadOptions,
  LoadedProject,
  LocalBudget,
  LocalExemption,
  LocalFramework,
  LocalPolicy,
  LocalSchedule,
  LocalWebhook,
  Problem,
  ProjectConfig,
} from '../model.ts';
import { parseYaml } from './parse-yaml.ts';
import { holdsTestsAlone, presetKind, readDocument } from './read-document.ts';
import type { SlipFinder } from './check-attributes.ts';
import { readText } from './read-text.ts';
import { compareProblems } from './source.ts';
import { takingTurns } from './turns.ts';

/** Some five milliseconds of reading. */
const filesBetweenTurns = 10;
/** The same of a file that holds many documents. */
const documentsBetweenTurns = 20;

/** What one policy file holds. */
export interface FileContent {
  /** As the user would type it. */
  readonly file: string;
  readonly absolute: string;
  readonly policies: LocalPolicy[];
  readonly webhooks: LocalWebhook[];
  readonly schedules: LocalSchedule[];
  readonly exemptions: LocalExemption[];
  readonly frameworks: LocalFramework[];
  readonly budgets: LocalBudget[];
  readonly identities: LocatedIdentity[];
  readonly locatedOthers: LocatedOther[];
  readonly labelled: LocatedLabels[];
  readonly problems: Problem[];
  /** It holds tests alone, and its documents were not read. */
  readonly isUnread?: true;
}

/**
 * Reads a repo of policies: govctl.yaml, then every document of every policy file. All that is wrong is in `problems`,
 * in order of file and line.
 * @throws GovctlError usage_error for a path that does not exist, or a --project that can't be one
 */
export async function loadProject(options: LoadOptions): Promise<LoadedProject> {
  return assembleProject(await readPolicyFiles(options), options);
}

/** What was read file by file, as one project: names and keys used twice, references to what is not there. */
export function assembleProject(read: ReadProject, options: LoadOptions): LoadedProject {
  const { config, root, problems, contents } = read;
  const identities = contents.flatMap((content) => content.identities);
  return {
    config: { ...config, ...projectOf(options) },
    root,
    policies: contents.flatMap((content) => content.policies),
    webhooks: contents.flatMap((content) => content.webhooks),
    schedules: contents.flatMap((content) => content.schedules),
    exemptions: contents.flatMap((content) => content.exemptions),
    frameworks: contents.flatMap((content) => content.frameworks),
    budgets: contents.flatMap((content) => content.budgets),
    others: contents.flatMap((content) => content.locatedOthers.map(({ other }) => other)),
    problems: inOrder([
      ...problems,
      ...contents.flatMap((content) => content.problems),
      ...findDuplicates(identities),
      ...checkReferences(
        contents.flatMap((content) => content.locatedOthers),
        {
          // What a part of the files does not hold may stand in another.
          policies:
            options.paths.length > 0
              ? undefined
              : identities.flatMap(({ kind, name, key }) => (kind === 'Policy' ? [name, key] : [])),
          ...defined({ now: options.now }),
        },
      ),
    ]),
    files: contents.length,
    unread: contents.flatMap(({ file, isUnread }) => (isUnread ? [file] : [])),
  };
}

export interface ReadProject {
  readonly config: ProjectConfig;
  readonly root: string;
  /** Of govctl.yaml and of the search itself. */
  readonly problems: readonly Problem[];
  readonly contents: readonly FileContent[];
  /** How far what the files name may lead. */
  readonly boundary: Boundary;
}

/**
 * Every policy file, read on its own.
 * @param named files that others name, absolute; default: the paths of the options or of govctl.yaml
 * @throws GovctlError usage_error for a path that does not exist, interrupted
 */
export async function readPolicyFiles(
  options: LoadOptions,
  named?: readonly string[],
): Promise<ReadProject> {
  const { cwd, paths, allowOutside, signal, holding = (work) => work() } = options;
  const { withoutTests = false } = options;
  const { config, root, problems } = loadConfig(cwd, allowOutside);
  const typed = paths.map((given) => path.resolve(cwd, given));
  const boundary = createBoundary(root, typed, allowOutside);
  const starts =
    named?.map((each): Start => ({ path: each, typed: false })) ?? startsOf(options, config, root);
  const found = await discoverFiles(cwd, root, starts, boundary, signal);
  // With it comes the table of all attributes, which short commands do without.
  const { createSlipFinder } = await import('./check-attributes.ts');
  const slips = createSlipFinder();
  const turn = takingTurns(filesBetweenTurns, signal);
  const turnOfDocument = takingTurns(documentsBetweenTurns, signal);
  const read: FileContent[] = [];
  const readOne = async (each: FoundFile, leaveTests: boolean): Promise<FileContent> => {
    await turn();
    return readPolicyFile(each, { slips, turn: turnOfDocument, holding, leaveTests });
  };
  for (const each of found.files) read.push(await readOne(each, withoutTests));
  // What is no policy may be the input of a test.
  if (read.some(({ problems }) => problems.length > 0)) {
    for (const [at, each] of found.files.entries()) {
      if (read[at]?.isUnread) read[at] = await readOne(each, false);
    }
  }
  const contents = withoutTestInputs(read);
  const findSlips = createLabelProblems(contents.flatMap(({ frameworks }) => frameworks));
  for (const { labelled, problems: its } of contents) {
    for (const one of labelled) {
      await turnOfDocument();
      its.push(...holding(() => findSlips(one)));
    }
  }
  return { config, root, problems: [...problems, ...found.problems], contents, boundary };
}

/** Where policy files are: the paths that were typed, else those of govctl.yaml. */
export const startsOf = (
  { cwd, paths }: Pick<LoadOptions, 'cwd' | 'paths'>,
  config: ProjectConfig,
  root: string,
): Start[] =>
  paths.length > 0
    ? paths.map((given) => ({ path: path.resolve(cwd, given), typed: true }))
    : config.paths.map((given) => ({ path: path.resolve(root, given), typed: false }));

function projectOf({ project }: LoadOptions): { project?: string } {
  if (project === undefined) return {};
  const parsed = projectName.safeParse(project);
  if (parsed.success) return { project };
  throw new GovctlError(
    'usage_error',
    `--project ${JSON.stringify(project)} ${parsed.error.issues[0]?.message ?? 'is not a valid name'}`,
  );
}

interface Reading {
  readonly slips: SlipFinder;
  readonly turn: () => Promise<void>;
  readonly holding: Holding;
  readonly leaveTests: boolean;
}

async function readPolicyFile(
  { file, absolute, size }: FoundFile,
  { slips, turn, holding, leaveTests }: Reading,
): Promise<FileContent> {
  const content: FileContent = {
    file,
    absolute,
    policies: [],
    webhooks: [],
    schedules: [],
    exemptions: [],
    frameworks: [],
    budgets: [],
    identities: [],
    locatedOthers: [],
    labelled: [],
    problems: [],
  };
  const text = readText(file, absolute, size);
  if (!text.source) {
    content.problems.push(text.problem);
    return content;
  }
  const preset = presetKind(file);
  const { source } = text;
  if (leaveTests && holdsTestsAlone(file, source.text)) return { ...content, isUnread: true };
  const { documents, problems } = holding(() => parseYaml(source));
  content.problems.push(...problems);
  for (const [index, raw] of documents.entries()) {
    await turn();
    const read = holding(() => readDocument(source, raw, preset, slips));
    const { policy, webhook, schedule, exemption, framework, budget } = read;
    const { identity, other, labels, problems } = read;
    if (policy) content.policies.push(policy);
    if (webhook) content.webhooks.push(webhook);
    if (schedule) content.schedules.push(schedule);
    if (exemption) content.exemptions.push(exemption);
    if (framework) content.frameworks.push(framework);
    if (budget) content.budgets.push(budget);
    if (identity) content.identities.push({ ...identity, source, index });
    if (labels) content.labelled.push({ labels, source, index });
    if (other) content.locatedOthers.push({ other, source, index, absolute });
    content.problems.push(...problems);
  }
  return content;
}

/** What a test reads as its input (a CloudFormation template beside it, say) holds resources, not policies. */
function withoutTestInputs(contents: readonly FileContent[]): readonly FileContent[] {
  const inputs = new Set<string>();
  for (const { locatedOthers, absolute } of contents) {
    for (const { other } of locatedOthers) {
      const { kind, document } = other;
      if (kind !== 'PolicyTest') continue;
      const folder = path.dirname(absolute);
      for (const file of inputFiles(document)) inputs.add(path.resolve(folder, file));
    }
  }
  return inputs.size === 0 ? contents : contents.filter(({ absolute }) => !inputs.has(absolute));
}

/** In order of file and line; what two uses of an anchor have wrong is said once. */
function inOrder(problems: readonly Problem[]): Problem[] {
  const sorted = [...problems].sort(compareProblems);
  return sorted.filter((problem, index) => {
    const before = sorted[index - 1];
    return !before || compareProblems(before, problem) !== 0 || before.message !== problem.message;
  });
}
