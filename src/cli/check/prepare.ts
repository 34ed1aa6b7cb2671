import path from 'node:path';
import { discoverInputs } from '../../project/check/discover-inputs.ts';
import type { FoundInputs, InputFile, Unreadable } from '../../project/check/discover-inputs.ts';
import { loadConfig } from '../../project/config.ts';
import type { LoadOptions, LoadedProject, Problem } from '../../project/model.ts';
import { createBoundary } from '../../project/read/boundary.ts';
import { showPath } from '../../project/read/discover.ts';
import { loadProject } from '../../project/read/load.ts';
import type { Threads } from './line-checker.ts';
import type { CheckOptions } from './options.ts';

/** What a check works on. */
export interface CheckGround {
  readonly project: LoadedProject;
  readonly inputs: FoundInputs;
}

/**
 * Reads the policies and finds the inputs. Both may be looked for in the same folder: a file that holds policies stays
 * one where it is named as an input, too; of the others, what is named or is no policy document is an input.
 * @throws GovctlError usage_error for a path that does not exist
 */
export async function readGround(
  reading: Pick<LoadOptions, 'cwd' | 'signal' | 'holding' | 'allowOutside'>,
  now: number,
  { args: [given], policies: paths = [] }: CheckOptions,
  threads: Pick<Threads, 'expect'>,
): Promise<CheckGround> {
  const { cwd } = reading;
  const inputs = await findInputs(reading, given);
  // They start while the policies are read.
  for (const { file, size } of inputs.files) if (holdsLines(file)) threads.expect(size);
  const project = await loadProject({ ...reading, paths, now, withoutTests: true });
  const asked = new Set(paths.map((each) => showPath(cwd, path.resolve(cwd, each))));
  const documents = [...project.policies, ...project.others];
  const holding = new Set([...documents.map(({ place }) => place.file), ...project.unread]);
  const named = new Set(
    inputs.files.flatMap(({ file, named }) =>
      named && !asked.has(file) && !holding.has(file) ? [file] : [],
    ),
  );
  const foreign = new Set(
    project.problems.filter(isForeign).flatMap(({ file }) => (holding.has(file) ? [] : [file])),
  );
  const failing = new Set(
    project.problems.flatMap(({ level, file }) => (level === 'error' ? [file] : [])),
  );
  const isInput = ({ file, named }: InputFile): boolean =>
    !holding.has(file) && (named || foreign.has(file) || !failing.has(file));
  const files = inputs.files.filter(isInput);
  const taken = new Set(files.map(({ file }) => file));
  // Without a word of where policies are, a folder may well hold other things.
  const guessed = paths.length === 0 && loadConfig(cwd).file === undefined;
  const isPolicyFile = ({ file }: { readonly file: string }): boolean =>
    !named.has(file) && !((guessed || taken.has(file)) && foreign.has(file));
  return {
    project: {
      ...project,
      policies: project.policies.filter(({ place }) => isPolicyFile(place)),
      others: project.others.filter(({ place }) => isPolicyFile(place)),
      problems: project.problems.filter(isPolicyFile),
    },
    inputs: {
      ...inputs,
      files,
      unreadable: [
        ...inputs.unreadable,
        ...inputs.files.filter(({ file, named }) => named && holding.has(file)).map(policyFile),
      ],
    },
  };
}

/** The inputs that were named, and what stands in the folders among them. @throws GovctlError interrupted */
export function findInputs(
  { cwd, signal, allowOutside }: Pick<LoadOptions, 'cwd' | 'signal' | 'allowOutside'>,
  inputs: readonly string[],
): Promise<FoundInputs> {
  const typed = inputs.map((input) => path.resolve(cwd, input));
  const { root } = loadConfig(cwd, allowOutside);
  return discoverInputs(cwd, inputs, createBoundary(root, typed, allowOutside), signal);
}

const policyFile = ({ file }: InputFile): Unreadable => ({
  file,
  message: 'the file contains policies, not infrastructure; to run their tests, use `govctl test`',
});

const holdsLines = (file: string): boolean => /\.(?:ndjson|jsonl)$/i.test(file);

/** Says of a file that it holds something else than policies. */
const isForeign = ({ code }: Problem): boolean =>
  ['not-a-document', 'file-too-large', 'too-deep'].includes(code);
