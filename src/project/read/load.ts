import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GovctlError } from '../../contract/errors.ts';
import { checkReferences } from './check-references.ts';
import type { LocatedOther } from './check-references.ts';
import { loadConfig, projectName } from '../config.ts';
import { discoverFiles } from './discover.ts';
import { inputFiles } from '../documents/policy-test.ts';
import type { LoadOptions, LoadedProject, LocalPolicy, Problem, ProjectConfig } from '../model.ts';
import { locate, valueSpan } from './locate.ts';
import { parseYaml } from './parse-yaml.ts';
import type { ParsedYaml } from './parse-yaml.ts';
import { presetKind, readDocument } from './read-document.ts';
import type { SlipFinder } from './check-attributes.ts';
import type { PolicyIdentity } from './read-document.ts';
import { readText } from './read-text.ts';
import { compareProblems, problemAt } from './source.ts';
import type { Source, Span } from './source.ts';

/** Some five milliseconds of reading. */
const filesBetweenTurns = 10;

/** What one policy file holds. */
export interface FileContent {
  /** As the user would type it. */
  readonly file: string;
  readonly absolute: string;
  readonly policies: LocalPolicy[];
  readonly identities: LocatedPolicy[];
  readonly locatedOthers: LocatedOther[];
  readonly problems: Problem[];
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
              : identities.flatMap(({ name, key }) => [name, key]),
          ...(options.now === undefined ? {} : { now: options.now }),
        },
      ),
    ]),
    files: contents.length,
  };
}

export interface ReadProject {
  readonly config: ProjectConfig;
  readonly root: string;
  /** Of govctl.yaml and of the search itself. */
  readonly problems: readonly Problem[];
  readonly contents: readonly FileContent[];
}

/** Every policy file, read on its own. @throws GovctlError usage_error for a path that does not exist */
export async function readPolicyFiles(options: LoadOptions): Promise<ReadProject> {
  const { config, root, problems } = loadConfig(options.cwd);
  const starts =
    options.paths.length > 0
      ? options.paths.map((given) => path.resolve(options.cwd, given))
      : config.paths.map((given) => path.resolve(root, given));
  const found = discoverFiles(options.cwd, root, starts);
  const read: FileContent[] = [];
  // With it comes the table of all attributes, which short commands do without.
  const { createSlipFinder } = await import('./check-attributes.ts');
  const slips = createSlipFinder();
  for (const { file, absolute, size } of found.files) {
    // Whoever waits for the network, a spinner or Ctrl-C gets a turn.
    if (read.length % filesBetweenTurns === 0) await nextTurn();
    read.push(readPolicyFile(file, absolute, size, slips));
  }
  const contents = withoutTestInputs(read);
  return { config, root, problems: [...problems, ...found.problems], contents };
}

function projectOf({ project }: LoadOptions): { project?: string } {
  if (project === undefined) return {};
  const parsed = projectName.safeParse(project);
  if (parsed.success) return { project };
  throw new GovctlError(
    'usage_error',
    `--project ${JSON.stringify(project)} ${parsed.error.issues[0]?.message ?? 'is not a name'}`,
  );
}

function readPolicyFile(
  file: string,
  absolute: string,
  size: number,
  slips: SlipFinder,
): FileContent {
  const content: FileContent = {
    file,
    absolute,
    policies: [],
    identities: [],
    locatedOthers: [],
    problems: [],
  };
  const text = readText(file, absolute, size);
  if (!text.source) {
    content.problems.push(text.problem);
    return content;
  }
  const preset = presetKind(file);
  const { documents, problems } = parseYaml(text.source);
  content.problems.push(...problems);
  for (const [index, raw] of documents.entries()) {
    const { policy, identity, other, problems } = readDocument(text.source, raw, preset, slips);
    if (policy) content.policies.push(policy);
    if (identity) content.identities.push({ ...identity, source: text.source, index });
    if (other) content.locatedOthers.push({ other, source: text.source, index, absolute });
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

/** A policy's identity, and which document of which file it is (from 0): enough to find its fields again. */
interface LocatedPolicy extends PolicyIdentity {
  readonly source: Source;
  readonly index: number;
}

/** A name is a policy's identifier in the service, a key its identifier in the repo: each once. */
function findDuplicates(policies: readonly LocatedPolicy[]): Problem[] {
  const problems: Problem[] = [];
  const names = new Map<string, LocatedPolicy>();
  const keys = new Map<string, LocatedPolicy>();
  const spanOf = createSpanFinder();
  for (const policy of policies) {
    const sameName = names.get(policy.name);
    const sameKey = keys.get(policy.key);
    if (sameName) problems.push(duplicateName(policy, sameName, spanOf));
    else if (sameKey) problems.push(duplicateKey(policy, sameKey, spanOf));
    if (!sameName) names.set(policy.name, policy);
    if (!sameKey) keys.set(policy.key, policy);
  }
  return problems;
}

type SpanFinder = (policy: LocatedPolicy, field: 'name' | 'key') => Span;

/** Duplicates are rare: reading their files again costs less than keeping a thousand parsed ones. */
function createSpanFinder(): SpanFinder {
  const parsed = new Map<Source, ParsedYaml>();
  return ({ source, index, isKeyGiven }, field) => {
    const { documents } = parsed.get(source) ?? parseYaml(source);
    if (!parsed.has(source)) parsed.set(source, { documents, problems: [] });
    const raw = documents[index];
    if (!raw) return { start: 0, end: 1 };
    return valueSpan(locate(raw, [isKeyGiven ? field : 'name']), source.text);
  };
}

function duplicateName(policy: LocatedPolicy, other: LocatedPolicy, spanOf: SpanFinder): Problem {
  return problemAt(policy.source, spanOf(policy, 'name'), {
    code: 'duplicate-name',
    message: `another policy is called "${policy.name}": ${showPlace(other.source, spanOf(other, 'name'))}`,
    hint: 'Names are unique in the service; rename one of the two.',
  });
}

function duplicateKey(policy: LocatedPolicy, other: LocatedPolicy, spanOf: SpanFinder): Problem {
  const { source, key, isKeyGiven } = policy;
  const otherPlace = showPlace(other.source, spanOf(other, 'key'));
  return problemAt(source, spanOf(policy, 'key'), {
    code: 'duplicate-key',
    message: isKeyGiven
      ? `another policy has the key "${key}": ${otherPlace}`
      : `the name gives the key "${key}", which another policy has: ${otherPlace}`,
    hint: isKeyGiven ? 'Give one of the two another key.' : 'Give one of the two a key of its own.',
  });
}

function showPlace(source: Source, { start }: Span): string {
  const { file, line } = source.place(start);
  return `${file}:${line}`;
}

/** In order of file and line; what two uses of an anchor have wrong is said once. */
function inOrder(problems: readonly Problem[]): Problem[] {
  const sorted = [...problems].sort(compareProblems);
  return sorted.filter((problem, index) => {
    const before = sorted[index - 1];
    return !before || compareProblems(before, problem) !== 0 || before.message !== problem.message;
  });
}
