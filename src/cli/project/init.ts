import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { defined } from '../../contract/defined.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { loadConfig, projectName } from '../../project/config.ts';
import { makeKey } from '../../project/key.ts';
import type { LoadOptions } from '../../project/model.ts';
import { isInSet } from '../../project/policy-sets.ts';
import type { PolicySet } from '../../project/policy-sets.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import { loadProject } from '../../project/read/load.ts';
import { replaceFile } from '../../project/write/replace-file.ts';
import { readingOf } from './reading.ts';
import { count } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import type { Context, Run } from '../context.ts';
import { placeToWrite, writesFrom } from '../flags/place-to-write.ts';
import { offersCiLogins } from './offers-ci-logins.ts';
import { defaultBranch, readRepository } from './repository.ts';
import type { Repository } from './repository.ts';
import { githubFile } from './ci/github.ts';
import { gitlabFile } from './ci/gitlab.ts';
import { readInstallSource } from './ci/install-source.ts';
import { trustCommands } from './ci/trust-commands.ts';
import type { CiSystem, InstallSource } from './ci/workflow-facts.ts';
import { gitIgnored, scaffold } from './scaffold.ts';
import type { ScaffoldFile } from './scaffold.ts';

interface InitOptions {
  readonly args: [folder: string | undefined];
  readonly project?: string;
  readonly set?: PolicySet;
  readonly ci?: CiSystem | 'none';
  readonly installFrom?: string;
}

type Outcome = 'created' | 'kept' | 'updated';

/** Lays out a repo of policies. What is there already is kept as it is, and said. */
export const runInit: Run<InitOptions> = async (
  context,
  { args: [given = '.'], project, set, ci: ciOption, installFrom: sourceOption },
) => {
  const folder = path.resolve(context.world.cwd, given);
  if (ciOption === 'none' && sourceOption !== undefined) {
    throw new GovctlError('usage_error', '--install-from requires a CI workflow', {
      hint: 'Use --ci github or --ci gitlab.',
    });
  }
  const name = await chooseProject(context, folder, project);
  const installFrom =
    ciOption === 'none' ? undefined : await chooseInstallSource(context, folder, sourceOption);
  // What does not exist yet has no place to be inside of.
  await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw notWritten(folder, cause);
  });
  // A new directory may be in a repository.
  const repository = await readRepository(context.world, folder);
  const ci = ciOption === 'none' ? undefined : (ciOption ?? repository?.provider ?? 'github');
  const from = { ...writesFrom(context), cwd: folder };
  const files: { path: string; outcome: Outcome }[] = [];
  const policyPaths = await findPolicies({ ...readingOf(context), cwd: folder });
  const library = set === undefined ? [] : await readLibrary(context, set);
  const hasCiLogins = ci !== undefined && (await offersCiLogins(context));
  const branch = await defaultBranch(context.world, folder);
  const workflow = { installFrom, branch, hasCiLogins, repository };
  const scaffolded = scaffold({ project: name, policyPaths, library, set, ci, workflow });
  for (const { path: file, ...texts } of scaffolded) {
    files.push({ path: file, outcome: await writeNew(placeToWrite(from, file), texts) });
  }
  const ignoring = placeToWrite(from, '.gitignore');
  files.push({ path: '.gitignore', outcome: await addLines(ignoring) });
  await warnOfOtherSet(context, folder, set);
  const ofLibrary = new Set(library.map(({ path: file }) => `policies/${file}`));
  const isCiFile = (file: string): boolean => file === githubFile || file === gitlabFile;
  const ciOutcome = files.find(({ path: file }) => isCiFile(file))?.outcome;
  const hasWorkflow = ciOutcome === 'created' || ciOutcome === 'updated';
  const copied = files.filter(({ path: file }) => ofLibrary.has(file));
  const others = files.filter(({ path: file }) => !ofLibrary.has(file));
  await context.show({
    value: { folder, project: name, files },
    rows: () => files,
    human: (style, columns) => {
      // A command stays in one line, for copying.
      const toWidth = (line: string): string =>
        line.startsWith(' ') ? line : wrapWords(line, columns, 0);
      return [
        ...(['created', 'kept'] as const).flatMap((outcome) => {
          const amount = copied.filter((one) => one.outcome === outcome).length;
          return amount === 0
            ? []
            : [lineOf(style, outcome, `policies/ (${count(amount, 'file')})`)];
        }),
        ...others.map(({ path: file, outcome }) => lineOf(style, outcome, file)),
        '',
        'Next:',
        ...(given === '.' ? [] : [`  cd ${given}`]),
        '  govctl validate               check the policies',
        '  govctl test                   run the policy tests',
        '  govctl check INPUT            evaluate templates, plans and exports',
        '  govctl server                 run a local service, in another terminal',
        '  govctl auth login             log in to a service',
        '  govctl plan                   preview changes',
        '  govctl apply                  apply the changes',
        ...(ci && hasWorkflow && installFrom === undefined
          ? ['', ...aboutInstalling(ci).map(toWidth)]
          : []),
        ...(ci && hasWorkflow && hasCiLogins
          ? ['', ...aboutCiLogins(ci, repository, branch).map(toWidth)]
          : []),
        '',
      ].join('\n');
    },
  });
  return exitCodes.ok;
};

function aboutCiLogins(ci: CiSystem, repository: Repository | undefined, branch: string): string[] {
  return [
    'CI logs in without a secret. To allow this, an admin of the service runs:',
    ...trustCommands(ci, repository, branch).map((line) => `  ${line}`),
    ...(repository?.provider === ci
      ? []
      : [`Replace OWNER/NAME: the git remote "origin" is not a repository on ${ci}.com.`]),
  ];
}

const aboutInstalling = (ci: CiSystem): string[] => [
  'CI does not install govctl, because no govctl release is published yet. To finish the workflow, run:',
  `  govctl init --ci ${ci} --install-from SOURCE`,
  'SOURCE is a packed archive in this repo (npm pack), or a git URL with a tag or commit.',
];

function lineOf(style: Style, outcome: Outcome, file: string): string {
  const colour = outcome === 'kept' ? style.dim : style.green;
  return `  ${colour(outcome.padEnd(8))} ${file}`;
}

/** The policies of a set of the library that comes with govctl, each with its test. */
async function readLibrary(
  { world: { packageRoot, signal } }: Context,
  set: PolicySet,
): Promise<ScaffoldFile[]> {
  const library = path.join(packageRoot, 'policies-example');
  const { policies } = await loadProject({ cwd: library, signal, paths: [] });
  const files = policies.flatMap(({ policy, place: { file } }) => {
    if (!isInSet(policy.tags, set)) return [];
    const test = file.replace(/\.yaml$/, '.test.yaml');
    return existsSync(path.join(library, test)) ? [file, test] : [file];
  });
  return Promise.all(
    files.map(async (file) => ({
      path: file,
      text: await readFile(path.join(library, file), 'utf8'),
    })),
  );
}

/** A govctl.yaml that was there is kept, so it may name another set than was asked for. */
async function warnOfOtherSet(
  { warn, flags }: Context,
  folder: string,
  set: PolicySet | undefined,
): Promise<void> {
  const { config } = loadConfig(folder, flags.allowOutside);
  if (set === undefined || config.set === set) return;
  await warn(
    `govctl.yaml already exists and selects the ${config.set} set. To change the set, add \`set: ${set}\` to govctl.yaml`,
  );
}

/** Where CI installs govctl from, if that is known: never from a package name that anyone could claim. */
async function chooseInstallSource(
  { world, flags }: Context,
  folder: string,
  given: string | undefined,
): Promise<InstallSource | undefined> {
  const text =
    given ??
    (flags.input
      ? await world.prompt.input(
          'Install source for CI: archive in this repo, or GIT-URL#TAG (empty: later)',
        )
      : '');
  return text.trim() === '' ? undefined : readInstallSource(text.trim(), folder);
}

/** The top folders below it that hold policies; `.` where some stand in the folder itself. */
async function findPolicies(reading: Omit<LoadOptions, 'paths'>): Promise<string[]> {
  try {
    const { policies } = await loadProject({ ...reading, paths: [] });
    const tops = policies.flatMap(({ place: { file } }) => {
      if (file.startsWith('..')) return []; // of a repo around this folder
      return [file.includes('/') ? file.slice(0, file.indexOf('/')) : '.'];
    });
    return tops.includes('.') ? ['.'] : [...new Set(tops)].sort();
  } catch (error) {
    // There is no such folder yet, or the paths of its govctl.yaml are not there.
    if (error instanceof GovctlError && error.error !== 'interrupted') return [];
    throw error;
  }
}

async function chooseProject(
  { world, flags }: Context,
  folder: string,
  given: string | undefined,
): Promise<string> {
  const preset = makeKey(path.basename(folder))
    .slice(0, 64)
    .replace(/[-._]+$/, '');
  const name =
    given ??
    (flags.input
      ? await world.prompt.input('Project name (owner of the policies)', preset)
      : preset);
  const parsed = projectName.safeParse(name);
  if (parsed.success) return name;
  throw new GovctlError(
    'usage_error',
    `project name ${JSON.stringify(name)} ${parsed.error.issues[0]?.message ?? 'cannot be used'}`,
    { hint: 'Use --project NAME.' },
  );
}

async function writeNew(
  file: string,
  { text, rewrite }: Omit<ScaffoldFile, 'path'>,
): Promise<Outcome> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
    return 'created';
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw notWritten(file, cause);
    const before = await readOrRefuse(file, cause);
    const after = rewrite?.(before.toString('utf8'));
    if (after === undefined) return 'kept';
    await replaceFile(file, after, { before });
    return 'updated';
  }
}

/** mkdir says EEXIST too, when a file stands where a folder has to be. */
async function readOrRefuse(file: string, cause: unknown): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch {
    throw notWritten(file, cause);
  }
}

async function addLines(file: string): Promise<Outcome> {
  let before: Buffer | undefined;
  try {
    before = await readFile(file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw notWritten(file, cause);
  }
  const text = before?.toString('utf8') ?? '';
  const present = text.split(/\r?\n/).map((line) => line.trim());
  const missing = gitIgnored.filter((line) => !present.includes(line));
  if (missing.length === 0) return 'kept';
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  try {
    await replaceFile(file, `${text}${gap}${missing.join('\n')}\n`, defined({ before }));
  } catch (cause) {
    throw notWritten(file, cause);
  }
  return text === '' ? 'created' : 'updated';
}

const notWritten = (file: string, cause: unknown): GovctlError =>
  new GovctlError('file_error', `${file} could not be written: ${whyFileFailed(cause)}`, {
    cause,
  });
