import type { Repository } from '../repository.ts';

/** The CI systems that `init` writes a workflow for. */
export const ciSystems = ['github', 'gitlab'] as const;
export type CiSystem = (typeof ciSystems)[number];

/** Where CI gets govctl: a packed archive in the repo, or a git repository at a tag or commit. */
export type InstallSource =
  | { readonly kind: 'archive'; readonly path: string }
  | { readonly kind: 'git'; readonly url: string; readonly ref: string };

/** What a CI workflow depends on. */
export interface WorkflowFacts {
  /** Undefined: not decided yet. The workflow then says how to decide, and fails. */
  readonly installFrom: InstallSource | undefined;
  /** The branch whose commits are applied. */
  readonly branch: string;
  /** The policies come with tests. Otherwise, tests are not required. */
  readonly isTested: boolean;
  /** Jobs log in with their ID tokens. Otherwise, with stored tokens. */
  readonly hasCiLogins: boolean;
  /** The repository that CI runs in, where it is known. */
  readonly repository: Repository | undefined;
}

/**
 * Commands that build an archive of govctl from git. They run in a job without secrets. `git fetch` takes a tag, a branch
 * and a commit; `git clone --branch` takes no commit.
 */
export const packFromGit = ({ url, ref }: Extract<InstallSource, { kind: 'git' }>): string[] => [
  'git init --quiet govctl-source',
  'cd govctl-source',
  `git fetch --quiet --depth 1 ${quoted(url)} ${quoted(ref)}`,
  'git checkout --quiet FETCH_HEAD',
  'npm ci --ignore-scripts',
  'npm pack --pack-destination ..',
];

/** What a job says that cannot install govctl. */
export const notInstalled = (ci: CiSystem): string =>
  `This workflow does not install govctl, because no govctl release is published yet. Run: govctl init --ci ${ci} --install-from SOURCE`;

/** `govctl test`, which requires tests where the repo began with them. */
export const testCommand = (isTested: boolean): string =>
  `govctl test${isTested ? ' --require-tests --require-coverage' : ''}`;

/** An argument for a POSIX shell. */
const quoted = (text: string): string =>
  /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

export const indent = (columns: number, lines: readonly string[]): string =>
  lines.map((line) => (line === '' ? '\n' : `${' '.repeat(columns)}${line}\n`)).join('');
