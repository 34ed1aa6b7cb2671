import { lstat, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { listAll } from '../../client/list-all.ts';
import type { Client } from '../../client/client.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Ownership } from '../../project/compare/ownership.ts';
import type { Kind, LiveItem, LocalDocument } from '../../project/kinds/kind.ts';
import { contentHash, isHidden, kindField } from '../../project/kinds/kind.ts';
import { kinds, nounOf } from '../../project/kinds/kinds.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import { readOwnership } from '../../project/compare/ownership.ts';
import type { ExportFile } from '../../project/write/export.ts';
import { exportDocuments } from '../../project/write/export.ts';
import { replaceFile } from '../../project/write/replace-file.ts';
import { placeToWrite, writesFrom } from '../flags/place-to-write.ts';
import { documentsOf } from '../../project/plan/read-repo.ts';
import { loadProject } from '../../project/read/load.ts';
import { updateDocuments } from '../../project/write/update-document.ts';
import { defined } from '../../contract/defined.ts';
import { connect } from '../objects/connect.ts';
import { readingOf } from '../project/reading.ts';
import type { Context, Run } from '../context.ts';
import { projectConfig, repoUrlOf } from '../objects/project-base-url.ts';
import { count, printable } from '../terminal/printable.ts';

interface ImportOptions {
  readonly args: [];
  readonly out: string;
  readonly project?: string;
  readonly force?: boolean;
  readonly update?: boolean;
  readonly allOwners?: boolean;
}

interface Live {
  readonly kind: Kind;
  readonly item: LiveItem;
  readonly ownership: Ownership;
}

/** Webhooks and schedules stay out: a service does not tell their secrets. */
const imported = kinds.filter(({ name, isOurs }) => name === 'Policy' || isOurs);

/** Writes live objects as YAML files, one object each, unless a document of the repo already describes them. */
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
  const { inFiles, isCopy } = await findInFiles(context, owner, options.update === true ? undefined : folder); // prettier-ignore
  const known = wanted.flatMap((each) => {
    const local = inFiles(each);
    return local === undefined ? [] : [{ live: each, local }];
  });
  const differing = known.filter(({ live: { kind, item }, local }) => contentHash(kind, local.body) !== contentHash(kind, item)); // prettier-ignore
  const updates = options.update === true ? await updateFiles(context, differing) : [];
  const isKnown = new Set(known.map((each) => each.live));
  const files = imported.flatMap((kind): ExportFile[] => {
    const documents = wanted
      .filter((each) => each.kind === kind && !isKnown.has(each))
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
  for (const { place, text, before } of updates) await replaceFile(place, text, { before });
  const others = live.filter((each) => !wanted.includes(each));
  const skipped = others.length;
  const { one, many } = nounOf(others.map(({ kind }) => ({ kind: kind.name })));
  const stale = options.update === true ? 0 : differing.length;
  const notes = [
    ...(isCopy
      ? [
          `${printable(options.out)} is not in the paths of govctl.yaml, so it gets a copy of every object.`,
        ]
      : []),
    ...(known.length > 0
      ? [
          `${count(known.length, 'object already has a file', 'objects already have a file')}${stale > 0 ? `; ${count(stale, 'file differs', 'files differ')} from the service (use --update to update ${stale === 1 ? 'it' : 'them'})` : ''}.`,
        ]
      : []),
    ...(skipped > 0
      ? [
          `${count(skipped, one, many)} of other projects skipped (use --all-owners to include them).`,
        ]
      : []),
    ...(wanted.some(({ ownership }) => ownership.owner === undefined)
      ? ['To manage the files in git, run `govctl validate`, then `govctl adopt --all-matching`.']
      : []),
  ];
  const rows = [
    ...files.map(({ kind, file, name }) => ({
      ...kindField(kind),
      file: path.join(options.out, file),
      name,
      outcome: 'created' as const,
    })),
    ...updates.flatMap(({ documents }) =>
      documents.map(({ live: { kind, item }, local }) => ({
        ...kindField(kind.name),
        file: local.place.file,
        name: kind.titleOf(item),
        outcome: 'updated' as const,
      })),
    ),
  ];
  const updated = rows.length - files.length;
  await context.show({
    value: {
      summary: { written: files.length, updated, present: known.length, differing: stale, skipped },
      files: rows,
    },
    rows: () => rows,
    human: (style) =>
      [
        ...rows.map(
          ({ file, outcome }) =>
            `  ${outcome === 'created' ? style.green('+') : style.yellow('~')} ${printable(file)}`,
        ),
        style.bold(
          `${files.length === 0 ? 'No files' : count(files.length, 'file')} written to ${path.relative('.', options.out) === '' ? 'this directory' : printable(options.out)}${updated > 0 ? `, ${count(updated, 'document')} updated` : ''}.`,
        ),
        ...notes,
        '',
      ].join('\n'),
  });
  return exitCodes.ok;
};

/** A live object, and the document of the repo that describes it. */
interface Known {
  readonly live: Live;
  readonly local: LocalDocument;
}

/**
 * Finds the document that describes a live object: by its key if this project owns the object, else by its identity.
 * @param folder that is written to. Outside of the paths of the project, it takes a copy of every object.
 */
async function findInFiles(
  context: Context,
  owner: string | undefined,
  folder: string | undefined,
): Promise<{
  readonly inFiles: (live: Live) => LocalDocument | undefined;
  readonly isCopy: boolean;
}> {
  const project = await loadProject({
    ...readingOf(context),
    paths: [],
    ...defined({ project: owner }),
  }).catch((error: unknown) => {
    // The paths of govctl.yaml may be created by this import.
    if (error instanceof GovctlError && error.error === 'usage_error') return undefined;
    throw error;
  });
  if (project === undefined) return { inFiles: () => undefined, isCopy: false };
  const { root, config } = project;
  const isRead = (place: string): boolean =>
    config.paths.some((one) => !path.relative(path.resolve(root, one), place).startsWith('..'));
  if (folder !== undefined && !isRead(folder)) {
    return { inFiles: () => undefined, isCopy: config.project !== undefined };
  }
  const broken = new Set(project.problems.filter(({ level }) => level === 'error').map(({ file }) => file)); // prettier-ignore
  if (broken.size > 0 && project.config.project !== undefined) {
    await context.warn(
      `${count(broken.size, 'file')} with errors skipped; run \`govctl validate\``,
    );
  }
  const byKey = new Map<string, LocalDocument>();
  const byIdentity = new Map<string, LocalDocument>();
  for (const document of documentsOf(project, context.world.now())) {
    const { kind, key, body } = document;
    byKey.set(`${kind.name} ${key}`, document);
    byIdentity.set(`${kind.name} ${kind.identityOf(body)}`, document);
  }
  const inFiles = ({ kind, item, ownership }: Live): LocalDocument | undefined =>
    (ownership.owner !== undefined && ownership.owner === owner && ownership.key !== undefined
      ? byKey.get(`${kind.name} ${ownership.key}`)
      : undefined) ?? byIdentity.get(`${kind.name} ${kind.identityOf(item)}`);
  return { inFiles, isCopy: false };
}

interface FileUpdate {
  readonly place: string;
  readonly before: Buffer;
  readonly text: string;
  readonly documents: readonly Known[];
}

/** The new texts of the files that contain these documents; nothing is written yet. */
async function updateFiles(context: Context, all: readonly Known[]): Promise<FileUpdate[]> {
  const from = writesFrom(context);
  const byFile = new Map<string, Known[]>();
  for (const known of all) {
    const { file } = known.local.place;
    byFile.set(file, [...(byFile.get(file) ?? []), known]);
  }
  const updates: FileUpdate[] = [];
  for (const [file, documents] of byFile) {
    const place = placeToWrite(from, file);
    const before = await readFile(place);
    const described = documents.map(({ local, live: { item } }) => ({ local, item }));
    const text = updateDocuments(before.toString('utf8'), described);
    if (text === undefined) {
      throw new GovctlError(
        'file_error',
        `${file} changed while it was read; nothing was written`,
        {
          hint: 'Run the command again.',
        },
      );
    }
    updates.push({ place, before, text, documents });
  }
  return updates;
}

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
