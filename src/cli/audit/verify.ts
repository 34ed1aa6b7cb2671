import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { findTrustedKey } from '../credentials/trusted-key.ts';
import type { TrustedKey } from '../credentials/trusted-key.ts';
import { withOurServer } from '../objects/our-server.ts';
import { checkSignatures } from './check-chain.ts';
import type { ChainEnd, Problem } from './check-chain.ts';
import { readExportedLog } from './exported-log.ts';
import { feature } from './list.ts';
import { readLog } from './read-log.ts';
import type { ReadLog } from './read-log.ts';
import { verifyView } from './verify-view.ts';

export interface VerifyOptions {
  /** An exported log; absent: the server's. */
  readonly args: readonly [file?: string];
  readonly head?: string;
  readonly key?: string;
}

/** Reads the whole audit log and follows its chain of hashes. 2 where it was changed, 5 where another key signed it. */
export async function runVerify(context: Context, options: VerifyOptions): Promise<ExitCode> {
  const earlier = options.head === undefined ? undefined : parseHead(options.head);
  const [file] = options.args;
  const read: Read =
    file === undefined
      ? await readFromServer(context, options.key, earlier)
      : {
          ...(await readExportedLog(context.world, file, earlier)),
          trusted: await findTrustedKey(context, options.key),
        };
  const { head: server, check, problems: own = [], trusted } = read;
  const problems = [...checkSignatures(server), ...own, ...check.problems];
  const isOther = trusted !== undefined && trusted.id !== server.key.id;
  await context.show(verifyView({ server, check, problems, trusted }));
  if (problems.length > 0) return exitCodes.verdict;
  return isOther ? exitCodes.conflict : exitCodes.ok;
}

interface Read extends ReadLog {
  readonly problems?: readonly Problem[];
  /** The key that should have signed. */
  readonly trusted: TrustedKey | undefined;
}

async function readFromServer(
  context: Context,
  keyFile: string | undefined,
  earlier: ChainEnd | undefined,
): Promise<Read> {
  const { baseUrl } = await context.client();
  const trusted = await findTrustedKey(context, keyFile, baseUrl);
  const read = await withOurServer(context, feature, 'Reading the audit log', (client, update) =>
    readLog(client, { earlier, update }),
  );
  return { ...read, trusted };
}

/** @throws GovctlError usage_error */
function parseHead(text: string): ChainEnd {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text.trim()) ?? [];
  if (sequence !== undefined && hash !== undefined) {
    return { sequence: Number(sequence), hash: hash.toLowerCase() };
  }
  throw new GovctlError('usage_error', `--head ${text}: must be a sequence number and a hash`, {
    hint: 'Use the value from an earlier `govctl audit verify` or from an `audit.head` event: 4812:9f2c… with 64 hex digits.',
  });
}
