import { lstat, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { listAll } from '../../client/list-all.ts';
import { policyObjects } from '../../client/objects.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Policy } from '../../contract/policies.ts';
import type { Ownership } from '../../project/compare/ownership.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import { readOwnership } from '../../project/compare/ownership.ts';
import type { ExportFile } from '../../project/write/export.ts';
import { exportPolicies } from '../../project/write/export.ts';
import { replaceFile } from '../../project/write/replace-file.ts';
import { placeToWrite, writesFrom } from '../flags/place-to-write.ts';
import { connect } from '../objects/connect.ts';
import type { Context, Run } from '../context.ts';
import { projectConfig, repoUrlOf } from '../objects/project-base-url.ts';
import { count, printable } from '../terminal/printable.ts';

interface ImportOptions {
  readonly args: [];
  readonly out: string;
  readonly project?: string;
  readonly force?: boolean;
  readonly allOwners?: boolean;
}

interface LivePolicy {
  readonly policy: Policy;
  readonly ownership: Ownership;
}

/** Writes what is live as YAML files, one policy each. Webhooks stay out: a service does not tell their secrets. */
export const runImport: Run<ImportOptions> = async (context, options) => {
  const config = await projectConfig(context);
  const owner = options.project ?? config.project;
  const { client } = await connect(context, repoUrlOf(config));
  const live = await context.progress('Reading the service', async () => {
    const found: LivePolicy[] = [];
    for await (const policy of listAll(client, policyObjects)) {
      found.push({ policy, ownership: readOwnership(policy.tags ?? []) });
    }
    return found;
  });
  const isOurs = ({ ownership }: LivePolicy): boolean =>
    options.allOwners === true ||
    (!ownership.disputed && (ownership.owner === undefined || ownership.owner === owner));
  const wanted = live.filter(isOurs);
  const from = writesFrom(context);
  const folder = placeToWrite(from, options.out);
  const files = exportPolicies(
    wanted.map(({ policy, ownership }) => ({
      policy,
      key: ownership.owner === owner ? ownership.key : undefined,
    })),
  );
  const placed = files.map(({ file, text }) => ({
    place: placeToWrite(from, path.join(folder, file)),
    text,
  }));
  await refuseOverwriting(context, options, folder, files);
  await writeFiles(folder, placed);
  const skipped = live.length - wanted.length;
  const notes = [
    ...(skipped > 0
      ? [
          `${count(skipped, 'policy', 'policies')} of other projects left out (--all-owners takes them too).`,
        ]
      : []),
    ...(wanted.some(({ ownership }) => ownership.owner === undefined)
      ? ['Next: govctl validate, then govctl adopt --all-matching to manage them from here.']
      : []),
  ];
  await context.show({
    value: {
      summary: { written: files.length, skipped },
      files: files.map(({ file, name }) => ({ file: path.join(options.out, file), name })),
    },
    rows: () => files.map(({ file, name }) => ({ file: path.join(options.out, file), name })),
    human: (style) =>
      [
        ...files.map(
          ({ file }) => `  ${style.green('+')} ${printable(path.join(options.out, file))}`,
        ),
        style.bold(`${count(files.length, 'file')} written to ${printable(options.out)}.`),
        ...notes,
        '',
      ].join('\n'),
  });
  return exitCodes.ok;
};

/** @throws GovctlError usage_error for files that are there already, unless they may be replaced */
async function refuseOverwriting(
  context: Context,
  options: ImportOptions,
  folder: string,
  files: readonly ExportFile[],
): Promise<void> {
  if (options.force) return;
  const there: string[] = [];
  for (const { file } of files) {
    if (await lstat(path.join(folder, file)).catch(() => undefined)) there.push(file);
  }
  const [first] = there;
  if (first === undefined) return;
  const more = there.length > 1 ? ` and ${there.length - 1} more` : '';
  const said = `${path.join(options.out, first)}${more}`;
  if (
    context.flags.input &&
    (await context.world.prompt.confirm(`Replace ${count(there.length, 'file')} (${said})?`, false))
  ) {
    return;
  }
  throw new GovctlError('usage_error', `${said} would be replaced; nothing was written`, {
    hint: 'Give another folder with --out, or add --force.',
  });
}

async function writeFiles(
  folder: string,
  files: readonly { readonly place: string; readonly text: string }[],
): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    for (const { place, text } of files) await replaceFile(place, text);
  } catch (cause) {
    throw new GovctlError('file_error', `${folder} could not be written: ${whyFileFailed(cause)}`, {
      cause,
    });
  }
}
