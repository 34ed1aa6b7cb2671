import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Dirent, Stats } from 'node:fs';
import path from 'node:path';
import { inThrees } from '../../contract/in-threes.ts';
import { leadsOutside } from '../read/boundary.ts';
import type { Boundary } from '../read/boundary.ts';
import { configFileName, isLikelyFolder, isWantedFolder, showPath } from '../read/discover.ts';
import { unreadable } from '../read/read-text.ts';
import { takingTurns } from '../read/turns.ts';

/** A file to check. */
export interface InputFile {
  /** As the user would type it; `stdin` for standard input. */
  readonly file: string;
  /** `-` for standard input. */
  readonly absolute: string;
  /** Bytes; Infinity for standard input, a pipe or a device, which may give any number. */
  readonly size: number;
  /** Named on the command line, not found in a folder. */
  readonly named: boolean;
}

/** Something that stood in the way of an input. */
export interface Unreadable {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

export interface FoundInputs {
  /** In the order given; a folder's by path. */
  readonly files: readonly InputFile[];
  readonly unreadable: readonly Unreadable[];
  /** Files of folders that declare infrastructure in a form that is not read: the first of each kind, with what to do. */
  readonly unread: readonly Unreadable[];
}

/** Entries of folders between two turns: some milliseconds. */
const entriesBetweenTurns = 200;

const standardInput = '-';

export const isStandardInput = ({ absolute }: InputFile): boolean => absolute === standardInput;

/** Of files that folders are searched for; `*.tfplan.json` and the like end in these too. */
const extensions = ['json', 'ndjson', 'jsonl', 'yaml', 'yml', 'template', 'cfn', 'tfstate'];
const wanted = new RegExp(`\\.(?:${extensions.join('|')})$`, 'i');

/** What to do where folders have none of them. */
export const searchHint = `Directories are searched for ${extensions.map((one) => `.${one}`).join(', ')} files.`;

const packed = /\.(?:gz|zip|bz2|xz|zst)$/i;

/** Forms of infrastructure that are not read, each with what to do. */
const unreadForms: readonly UnreadForm[] = [
  {
    isIt: (name) => /\.(?:tf|tofu)$/i.test(name),
    said: 'Terraform source files are not read',
    solution: 'check a plan: terraform show -json plan.out | govctl check -',
  },
  {
    isIt: (name) => /\.bicep$/i.test(name),
    said: 'Bicep files are not read',
    solution: 'check the template that `az bicep build` writes',
  },
  {
    // Others may be anything.
    isIt: (name) => packed.test(name) && isInput(name.replace(packed, '')),
    said: 'compressed files are not read',
    solution: 'unpack them',
  },
];

interface UnreadForm {
  readonly isIt: (name: string) => boolean;
  readonly said: string;
  readonly solution: string;
}

/** Files that many repos hold and that are never resources. */
const neverInputs =
  /^(?:package(?:-lock)?|composer|tsconfig(?:\..+)?|jsconfig|deno|angular|nx|turbo|renovate|lerna|cdk|samconfig|manifest|tree|.+\.assets|\..+)\.json$|^(?:pnpm-lock|docker-compose(?:\..+)?|compose|mkdocs|dependabot|serverless)\.ya?ml$|^\./i;

const isTest = (name: string): boolean => /\.test\.ya?ml$/i.test(name);

/**
 * The files that `inputs` name; folders are searched for what may hold resources, without dot-folders, node_modules,
 * tests and govctl.yaml. A file that is reached twice is taken once. What can't be reached, or leads outside, is told, and
 * the others go on.
 * @throws GovctlError interrupted
 */
export async function discoverInputs(
  cwd: string,
  inputs: readonly string[],
  boundary: Boundary,
  signal?: AbortSignal,
): Promise<FoundInputs> {
  const turn = takingTurns(entriesBetweenTurns, signal);
  const files: InputFile[] = [];
  const failed: Unreadable[] = [];
  const unread = createUnread((absolute) => showPath(cwd, absolute));
  const seen = new Set<string>();
  const isNew = ({ dev, ino }: Stats, absolute: string): boolean => {
    const identity = ino === 0 ? absolute : `${dev}:${ino}`;
    return !seen.has(identity) && seen.add(identity) !== undefined;
  };
  const fail = (absolute: string, message: string): void =>
    void failed.push({ file: showPath(cwd, absolute), message });
  const add = (absolute: string, stats: Stats, named: boolean): void => {
    if (!isNew(stats, absolute)) return;
    const size = stats.isFile() ? stats.size : Infinity;
    files.push({ file: showPath(cwd, absolute), absolute, size, named });
  };
  const visit = async (folder: string): Promise<void> => {
    let entries: Dirent[];
    try {
      entries = await readdir(folder, { withFileTypes: true });
    } catch (error) {
      fail(folder, unreadable(error).message);
      return;
    }
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      await turn();
      await visitEntry(entry, path.join(folder, entry.name));
    }
  };
  const visitEntry = async (entry: Dirent, absolute: string): Promise<void> => {
    const wanted = isInput(entry.name);
    const mayBeFolder = entry.isDirectory() || entry.isSymbolicLink();
    if (!wanted && !entry.isDirectory()) unread.see(entry.name, absolute);
    if (!wanted && !(mayBeFolder && isWantedFolder(entry.name))) return;
    let stats: Stats;
    try {
      stats = statSync(absolute);
    } catch (error) {
      if (wanted || isLikelyFolder(entry)) fail(absolute, whyUnreachable(error, entry.name));
      return;
    }
    const isFolder = stats.isDirectory();
    if (isFolder ? !isWantedFolder(entry.name) : !wanted) return;
    const target = entry.isSymbolicLink() ? boundary.outside(absolute) : undefined;
    if (target !== undefined)
      fail(absolute, `${leadsOutside(target).message}; pass --allow-outside to read it`);
    else if (isFolder) {
      if (isNew(stats, absolute)) await visit(absolute);
    } else if (stats.isFile()) add(absolute, stats, false);
    else
      fail(absolute, 'the path is a pipe, socket or device; pass this path explicitly to read it');
  };
  for (const input of inputs) {
    if (input === standardInput) {
      if (!files.some(isStandardInput)) {
        files.push({ file: 'stdin', absolute: standardInput, size: Infinity, named: true });
      }
      continue;
    }
    const absolute = path.resolve(cwd, input);
    let stats: Stats;
    try {
      stats = statSync(absolute);
    } catch (error) {
      const why = isAbsent(error) ? 'no such file or directory' : unreadable(error).message;
      fail(absolute, why);
      continue;
    }
    if (!stats.isDirectory()) add(absolute, stats, true);
    else if (isNew(stats, absolute)) await visit(absolute);
  }
  return { files, unreadable: failed, unread: unread.list() };
}

/** Counts the files of each form that is not read. */
function createUnread(show: (absolute: string) => string) {
  const seen = unreadForms.map((form) => ({ form, first: '', count: 0 }));
  return {
    see(name: string, absolute: string): void {
      const met = seen.find(({ form }) => form.isIt(name));
      if (met && met.count++ === 0) met.first = absolute;
    },
    list: (): Unreadable[] =>
      seen.flatMap(({ form: { said, solution }, first, count }) => {
        const more = count > 1 ? ` (${inThrees(count)} in these directories)` : '';
        return count === 0 ? [] : [{ file: show(first), message: `${said}${more}; ${solution}` }];
      }),
  };
}

const isInput = (name: string): boolean =>
  wanted.test(name) && !neverInputs.test(name) && !isTest(name) && name !== configFileName;

const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Bytes of a name that are no UTF-8 were replaced when the folder was read, so that nothing has the name it gave. */
const whyUnreachable = (error: unknown, name: string): string =>
  isAbsent(error) && name.includes('\ufffd')
    ? 'the file name is not valid UTF-8; rename the file'
    : unreadable(error).message;
