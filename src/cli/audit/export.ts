import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import { openReplacement } from '../../project/write/replace-file.ts';
import type { Replacement } from '../../project/write/replace-file.ts';
import type { Context } from '../context.ts';
import { placeToWrite, writesFrom } from '../flags/place-to-write.ts';
import { withOurServer } from '../objects/our-server.ts';
import { count, inThrees, printableLine } from '../terminal/printable.ts';
import { checkSignatures } from './check-chain.ts';
import { exportFormat } from './exported-log.ts';
import { readLog } from './read-log.ts';
import { feature } from './list.ts';

/** Writes all of the log, and its signed head, to a file: all of it, or nothing. 2 where the chain is broken. */
export async function runExport(
  context: Context,
  { args: [file] }: { readonly args: readonly [string] },
): Promise<ExitCode> {
  const place = placeToWrite(writesFrom(context), file);
  let draft: Replacement | undefined;
  const writing = <T>(work: Promise<T>): Promise<T> =>
    work.catch((cause: unknown) => {
      throw new GovctlError(
        'file_error',
        `The audit log could not be written to ${file}: ${whyFileFailed(cause)}`,
        { cause },
      );
    });
  let entries = 0;
  try {
    const { head, check } = await withOurServer(
      context,
      feature,
      'Reading the audit log',
      (client, update) =>
        readLog(client, {
          earlier: undefined,
          update,
          keeper: {
            async begin(head) {
              context.world.signal.throwIfAborted();
              await draft?.close();
              entries = 0;
              draft = await writing(openReplacement(place, { mode: 0o600 }));
              await writing(draft.write(`${JSON.stringify({ format: exportFormat, ...head })}\n`));
            },
            async add(page) {
              context.world.signal.throwIfAborted();
              entries += page.length;
              const lines = page.map((entry) => `${JSON.stringify(entry)}\n`).join('');
              await writing(draft?.write(lines) ?? Promise.resolve());
            },
          },
        }),
    );
    await writing(draft?.finish() ?? Promise.resolve());
    const problems = [...checkSignatures(head), ...check.problems];
    const { sequence, hash } = head.head;
    await context.show({
      value: { file, entries, whole: problems.length === 0, head: { sequence, hash } },
      human: (style) =>
        `${style.green('Exported')} ${entries === 1 ? '1 entry' : `${inThrees(entries)} entries`} to ${printableLine(file)}\nHead     ${sequence}:${hash}\n`,
    });
    if (problems.length === 0) return exitCodes.ok;
    await context.warn(
      `the audit log failed verification: ${count(problems.length, 'problem')}; run \`govctl audit verify ${file}`,
    );
    return exitCodes.verdict;
  } finally {
    await draft?.close();
  }
}
