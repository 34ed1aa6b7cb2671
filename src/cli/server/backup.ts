import path from 'node:path';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { Context } from '../context.ts';
import { showSize } from '../download/sizes.ts';
import { count, inThrees, printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import type { Damage, Verified } from './data-directories.ts';
import { collectionName, countLines, total } from './record-counts.ts';

export interface BackupFlags {
  readonly args: readonly [string];
  readonly dataDir: string;
  readonly secretKey: boolean;
}

export async function runBackup(context: Context, flags: BackupFlags): Promise<ExitCode> {
  const { cwd, dataDirectories, now } = context.world;
  const [dir] = flags.args;
  const backup = await withProgress(context, 'Copying the data directory', (reading) =>
    dataDirectories.backup({
      ...reading,
      source: directory(cwd, '--data-dir', flags.dataDir),
      target: directory(cwd, 'the backup', dir),
      withSecretKey: flags.secretKey,
      version: context.version,
      now,
    }),
  );
  const { commit, last_commit_at: at, records, files, bytes, damage } = backup;
  await context.show({
    value: { dir, ...backup },
    human: (style) =>
      [
        `${style.green('Saved')} ${count(total(records), 'record')} in ${printableLine(dir)}`,
        `  last commit  ${inThrees(commit)}, written ${utcMinute(at)}`,
        `  size         ${showSize(bytes)} in ${count(files, 'file')}`,
        `  secret key   ${backup.secret_key ? 'included: anyone with the backup can decrypt its secrets' : keyElsewhere}`,
        '',
      ].join('\n'),
  });
  for (const what of damage) await context.warn(`${what} (also damaged in the data directory)`);
  return damage.length > 0 ? exitCodes.error : exitCodes.ok;
}

const keyElsewhere = 'not included; a restored server needs it';

export interface VerifyFlags {
  readonly args: readonly [string];
}

/** 1 where anything is damaged. */
export async function runVerify(context: Context, { args: [dir] }: VerifyFlags): Promise<ExitCode> {
  const { cwd, dataDirectories } = context.world;
  const verified = await withProgress(context, 'Verifying the directory', (reading) =>
    dataDirectories.verify({ ...reading, dir: directory(cwd, 'the directory', dir) }),
  );
  await context.show({
    value: { dir, ...verified },
    human: (style, columns) => describe(dir, verified, style, columns),
  });
  return verified.intact ? exitCodes.ok : exitCodes.error;
}

export interface RestoreBackupFlags {
  readonly args: readonly [string];
  readonly dataDir: string;
  readonly force?: boolean;
}

export async function runRestoreBackup(
  context: Context,
  { args: [dir], dataDir, force = false }: RestoreBackupFlags,
): Promise<ExitCode> {
  const { cwd, dataDirectories, now } = context.world;
  const { verified, replaced } = await withProgress(context, 'Restoring the backup', (reading) =>
    dataDirectories.restore({
      ...reading,
      dir: directory(cwd, 'the backup', dir),
      target: directory(cwd, '--data-dir', dataDir),
      force,
      now,
    }),
  );
  const { waiting = {}, secret_key: hasKey } = verified;
  const isRestored = verified.intact;
  await context.show({
    value: {
      dir,
      data_dir: dataDir,
      restored: isRestored,
      ...(replaced === undefined ? {} : { replaced }),
      verified,
    },
    human: (style, columns) =>
      isRestored
        ? [
            `${style.green('Restored')} ${count(total(verified.records ?? {}), 'record')} in ${printableLine(dataDir)}`,
            `  last commit  ${inThrees(verified.last_commit ?? 0)}, written ${utcMinute(verified.last_commit_at ?? '')}`,
            ...(replaced === undefined ? [] : [`  replaced     ${printableLine(replaced)}`]),
            `  start with   govctl server --data-dir ${printableLine(dataDir)}`,
            '',
          ].join('\n')
        : describe(dir, verified, style, columns),
  });
  if (!isRestored) {
    await context.say('Nothing was restored.');
    return exitCodes.error;
  }
  const { webhooks = 0 } = waiting;
  if (webhooks > 0) {
    await context.warn(
      `${count(webhooks, 'delivery', 'deliveries')} ${webhooks === 1 ? 'was' : 'were'} queued when the backup was made. The server sends them when it starts, even if they were sent after the backup. Receivers can detect duplicates by X-Service-Event-ID.`,
    );
  }
  if (!hasKey) {
    await context.warn(
      'The backup contains no secret.key. Before you start the server, copy the key into the data directory or set GOVCTL_SERVER_SECRET_KEY.',
    );
  }
  return exitCodes.ok;
}

/** @throws GovctlError usage_error */
function directory(cwd: string, flag: string, value: string): string {
  if (value.trim() === '') throw new GovctlError('usage_error', `${flag} is empty`);
  return path.resolve(cwd, value);
}

/** @throws GovctlError interrupted */
async function withProgress<T>(
  context: Context,
  text: string,
  work: (reading: {
    readonly signal: AbortSignal;
    readonly progress: (doing: string, bytes: number) => void;
  }) => Promise<T>,
): Promise<T> {
  const { signal } = context.world;
  try {
    return await context.progress(text, (update) =>
      work({ signal, progress: (doing, bytes) => update(`${doing}: ${showSize(bytes)}`) }),
    );
  } catch (cause) {
    if (!signal.aborted) throw cause;
    throw new GovctlError('interrupted', 'Interrupted; nothing was saved', { cause });
  }
}

function describe(dir: string, verified: Verified, style: Style, columns: number): string {
  const { kind, intact, damage, taken_at: takenAt, version } = verified;
  const what =
    kind === 'backup' && takenAt !== undefined
      ? `backup of ${utcMinute(takenAt)}, made by govctl ${printableLine(version ?? '')}`
      : collectionName(kind);
  const title = intact ? style.green('Intact') : style.red('Damaged');
  return [
    `${title}  ${printableLine(dir)}: ${what}`,
    ...numbersOf(verified),
    ...verified.notes.map((note) =>
      wrapWords(`  note         ${printableLine(note)}`, columns, 15),
    ),
    ...damage.flatMap((one) => describeDamage(one, style, columns)),
    '',
  ].join('\n');
}

function numbersOf(verified: Verified): string[] {
  const { last_commit: commit, records, waiting = {}, audit_log: log, files } = verified;
  if (commit === undefined || !records) return [];
  const lines = [
    ['last commit', `${inThrees(commit)}, written ${utcMinute(verified.last_commit_at ?? '')}`],
    ['records', inThrees(total(records))],
    ...countLines(records).map((line) => ['', line]),
    ...Object.entries(waiting).map(([name, amount]) => ['waiting', `${inThrees(amount)} in ${collectionName(name)}`]), // prettier-ignore
    ['audit log', log && log.entries > 0 ? `entries ${inThrees(log.first)} to ${inThrees(log.last)}, no gap` : 'empty'], // prettier-ignore
    ['files', `${inThrees(files?.count ?? 0)} of reports, evidence and imports, ${showSize(files?.bytes ?? 0)}`], // prettier-ignore
    ['secret key', verified.secret_key ? 'included' : keyElsewhere],
    ['read', showSize(verified.bytes)],
  ] as const;
  return lines.map(([name = '', text = '']) => `  ${name.padEnd(11)}  ${text}`);
}

const describeDamage = (
  { file, line, what, lost, way_out: wayOut }: Damage,
  style: Style,
  columns: number,
): string[] => [
  '',
  wrapWords(
    `${style.red(printableLine(file))}${line === undefined ? '' : `, line ${line}`}: ${printableLine(what)}`,
    columns,
  ),
  wrapWords(`  lost     ${printableLine(lost)}`, columns, 11),
  ...wayOut
    .split('\n')
    .map((text, at) => wrapWords(`  ${at === 0 ? 'fix    ' : '       '}  ${printableLine(text)}`, columns, 11)), // prettier-ignore
];
