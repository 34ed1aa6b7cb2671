import path from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import { parseToFirstIssue } from '../../contract/parse-to-first-issue.ts';
import { BaselineFile, createBaseline, formatBaseline } from '../../project/check/baseline.ts';
import type { Baseline, BaselineEntry } from '../../project/check/baseline.ts';
import type { InputFile } from '../../project/check/discover-inputs.ts';
import type { LocalPolicy } from '../../project/model.ts';
import { replaceFile } from '../../project/write/replace-file.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import type { Context, World } from '../context.ts';
import { readWholeFile } from '../flags/input-file.ts';
import { placeToWrite, writesFrom } from '../flags/place-to-write.ts';
import { outputFailed } from '../terminal/output.ts';
import type { BaselineUse } from './check-result.ts';
import { nameFrom } from './collect.ts';
import type { Collector } from './collect.ts';
import type { CheckOptions } from './options.ts';

/** A baseline file at work. */
export interface OpenedBaseline {
  readonly met: Baseline | undefined;
  readonly entries: readonly BaselineEntry[];
  /** The folder that files are named from. */
  readonly root: string;
  /** The real path of the file to write. */
  readonly place: string | undefined;
}

/** @throws GovctlError usage_error when it can't be read, or is none; file_error where it can't be written; interrupted */
export async function openBaseline(
  context: Pick<Context, 'world' | 'flags'>,
  { baseline, writeBaseline, pruneBaseline }: CheckOptions,
): Promise<OpenedBaseline> {
  const { world } = context;
  const { cwd } = world;
  const file = baseline ?? writeBaseline;
  const written = writeBaseline ?? (pruneBaseline ? baseline : undefined);
  const place = written === undefined ? undefined : placeToWrite(writesFrom(context), written);
  const root = file === undefined ? cwd : path.dirname(path.resolve(cwd, file));
  const entries = baseline === undefined ? [] : await readBaseline(world, baseline);
  return {
    met: baseline === undefined ? undefined : createBaseline(entries),
    entries,
    root,
    place,
  };
}

/** Writes the new one, or says what of the old one was not met. @throws GovctlError file_error */
export async function closeBaseline(
  { met, root, entries: kept, place }: OpenedBaseline,
  { entries }: Collector,
  inputs: readonly InputFile[],
  checked: readonly LocalPolicy[],
  all: readonly LocalPolicy[],
  { baseline, writeBaseline, pruneBaseline }: CheckOptions,
): Promise<BaselineUse | undefined> {
  if (writeBaseline !== undefined) {
    await writeBaselineFile(place, writeBaseline, entries);
    return { file: writeBaseline, stale: [], written: entries.length };
  }
  if (baseline === undefined) return undefined;
  const files = new Set(inputs.map((input) => nameFrom(root, input)));
  const selected = new Set(checked.map(({ key }) => key));
  const known = new Set(all.map(({ key }) => key));
  const isJudged = ({ file, policy }: BaselineEntry): boolean =>
    files.has(file) && (selected.has(policy) || !known.has(policy));
  const stale = (met?.unmet() ?? []).filter(isJudged);
  if (!pruneBaseline || stale.length === 0) return { file: baseline, stale };
  const dropped = new Set(stale);
  await writeBaselineFile(
    place,
    baseline,
    kept.filter((entry) => !dropped.has(entry)),
  );
  return { file: baseline, stale, pruned: true };
}

/** @throws GovctlError file_error */
async function writeBaselineFile(
  place: string | undefined,
  file: string,
  entries: readonly BaselineEntry[],
): Promise<void> {
  try {
    if (place !== undefined) await replaceFile(place, formatBaseline(entries));
  } catch (cause) {
    throw outputFailed(file, cause);
  }
}

/** @throws GovctlError usage_error when it can't be read, or is none; interrupted */
async function readBaseline(
  world: Pick<World, 'cwd' | 'signal'>,
  file: string,
): Promise<readonly BaselineEntry[]> {
  const hint = 'Run `govctl check INPUT... --write-baseline FILE` to create one.';
  let value: unknown;
  try {
    value = JSON.parse((await readWholeFile(world, file)).toString('utf8'));
  } catch (cause) {
    if (world.signal.aborted) throw cause;
    throw new GovctlError('usage_error', `--baseline ${file}: ${whyFileFailed(cause)}`, {
      cause,
      hint,
    });
  }
  const parsed = parseToFirstIssue(BaselineFile, value);
  if (parsed.success) return parsed.data.findings;
  throw new GovctlError('usage_error', `--baseline ${file}: the file is not a govctl baseline`, {
    hint,
  });
}
