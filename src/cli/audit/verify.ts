import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { readInputFile } from '../flags/input-file.ts';
import { withOurServer } from '../objects/our-server.ts';
import { inThrees } from '../terminal/printable.ts';
import { ChainCheck, checkSignatures, keyId } from './check-chain.ts';
import type { ChainEnd } from './check-chain.ts';
import { verifyView } from './verify-view.ts';

export interface VerifyOptions {
  readonly head?: string;
  readonly key?: string;
}

const pageSize = 100;

/** Reads the whole audit log and follows its chain of hashes. 2 where it was changed, 5 where another key signed it. */
export async function runVerify(context: Context, options: VerifyOptions): Promise<ExitCode> {
  const earlier = options.head === undefined ? undefined : parseHead(options.head);
  const expected = options.key === undefined ? undefined : await readKeyId(context, options.key);
  const { data: server, check } = await withOurServer(
    context,
    'a chained audit log',
    'Reading the audit log',
    async (client, update) => {
      const { data } = await client.auditLog.head({});
      const check = new ChainCheck(data.anchor, earlier);
      let cursor: string | undefined;
      do {
        const { data: page } = await client.auditLog.list({
          query: {
            sort_by: 'sequence',
            order: 'asc',
            limit: pageSize,
            ...(cursor === undefined ? {} : { cursor }),
          },
        });
        for (const entry of page.audit_log) {
          // What came since the head was asked for is for the next time.
          if (entry.sequence <= data.head.sequence && !check.isDone) check.add(entry);
        }
        update(`Reading the audit log: ${inThrees(check.count)} entries`);
        cursor = page.pagination.next_cursor;
      } while (cursor !== undefined && check.last.sequence < data.head.sequence && !check.isDone);
      check.end(data.head);
      return { data, check };
    },
  );
  const problems = [...checkSignatures(server), ...check.problems];
  const isOther = expected !== undefined && expected !== server.key.id;
  await context.show(verifyView({ server, check, problems, expected }));
  if (problems.length > 0) return exitCodes.verdict;
  return isOther ? exitCodes.conflict : exitCodes.ok;
}

/** @throws GovctlError usage_error */
function parseHead(text: string): ChainEnd {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text.trim()) ?? [];
  if (sequence !== undefined && hash !== undefined) {
    return { sequence: Number(sequence), hash: hash.toLowerCase() };
  }
  throw new GovctlError('usage_error', `--head ${text}: not a sequence and a hash`, {
    hint: 'Give it as an earlier `govctl audit verify` or an event `audit.head` said: 4812:9f2c… with 64 hex digits.',
  });
}

async function readKeyId({ world }: Context, file: string): Promise<string> {
  const pem = await readInputFile(world, file);
  try {
    return keyId(pem);
  } catch (cause) {
    throw new GovctlError('invalid_file', `${file} is not a public key in PEM`, { cause });
  }
}
