import { lstat, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { listAll } from '../../client/list-all.ts';
import type { Client } from '../../client/client.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Ownership } from '../../project/compare/ownership.ts';
import type { Kind, LiveItem } from '../../project/kinds/kind.ts';
import { isHidden, kindField } from '../../project/kinds/kind.ts';
import { kinds, nounOf } from '../../project/kinds/kinds.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import { readOwnership } from '../../project/compare/ownership.ts';
import type { ExportFile } from '../../project/write/export.ts';
import { exportDocuments } from '../../project/write/export.ts';
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

interface Live {
  readonly kind: Kind;
  readonly item: LiveItem;
  readonly ownership: Ownership;
}

/** Webhooks and schedules stay out: a service does not tell their secrets. */
const imported = kinds.filter(({ name, isOurs }) => name === 'Policy' || isOurs);

/** Writes what is live as YAML files, one object each. */
export const runImport: Run<ImportOptions> = async (context, options) => {
  const config = await projectConfig(context);
  const owner = options.project ?? config.project;
  const { client } = await connect(context, repoUrlOf(config));
  const live = await context.progress('Reading the service', async () => {
    const found: Live[] = [];
    for (const kind of imported) found.push(...(await listLive(client, kind)));
    return found;
  });
  const isOurs = ({ ownership }: Live): boolean =>
    options.allOwners === true ||
    (!ownership.disputed && (ownership.owner === undefined || ownership.owner === owner));
  const wanted = live.filter(isOurs);
  const from = writesFrom(context);
  const folder = placeToWrite(from, options.out);
  const files = imported.flatMap((kind): ExportFile[] => {
    const documents = wanted
      .filter((each) => each.kind === kind)
      .map(({ item, ownership: { owner: its, key } }) => ({
        document: item,
        key: its === owner ? key : undefined,
      }));
    return exportDocuments(kind, documents);
  });
  const placed = files.map(({ file, text }) => ({
    place: placeToWrite(from, path.join(folder, file)),
    text,
  }));
  await refuseOverwriting(context, options, folder, files);
  await writeFiles(folder, placed);
  const others = live.filter((each) => !wanted.includes(each));
  const skipped = others.length;
  const { one, many } = nounOf(others.map(({ kind }) => ({ kind: kind.name })));
  const notes = [
    ...(skipped > 0
      ? [
          `${count(skipped, one, many)} of other projects skipped (use --all-owners to include them).`,
        ]
      : []),
    ...(wanted.some(({ ownership }) => ownership.owner === undefined)
      ? ['Next: govctl validate, then govctl adopt --all-matching to manage them in git.']
      : []),
  ];
  const rows = files.map(({ kind, file, name }) => ({
    ...kindField(kind),
    file: path.join(options.out, file),
    name,
  }));
  await context.show({
    value: {
      summary: { written: files.length, skipped },
      files: rows,
    },
    rows: () => rows,
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

/** What is live of a kind, but what is over; nothing where a server has none of it, or shows none to whoever asks. */
async function listLive(client: Client, kind: Kind): Promise<Live[]> {
  const found: Live[] = [];
  try {
    for await (const item of listAll(client, kind.objects)) {
      if (item.status === 'expired') continue;
      found.push({ kind, item, ownership: readOwnership(item.tags ?? []) });
    }
  } catch (error) {
    if (!kind.isOurs || !(kind.isMissing(error) || isHidden(kind, error))) throw error;
  }
  return found;
}

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
    (await context.world.prompt.confirm(
      `Overwrite ${count(there.length, 'file')} (${said})?`,
      false,
    ))
  ) {
    return;
  }
  throw new GovctlError('usage_error', `${said} would be overwritten; nothing was written`, {
    hint: 'Use another directory with --out, or --force to overwrite.',
  });
}

async function writeFiles(
  folder: string,
  files: readonly { readonly place: string; readonly text: string }[],
): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    for (const { place, text } of files) {
      await mkdir(path.dirname(place), { recursive: true });
      await replaceFile(place, text);
    }
  } catch (cause) {
    throw new GovctlError('file_error', `${folder} could not be written: ${whyFileFailed(cause)}`, {
      cause,
    });
  }
}
