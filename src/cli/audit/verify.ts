import type { Client } from '../../client/client.ts';
import type { AuditHead } from '../../contract/audit-log.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { findTrustedKey } from '../credentials/trusted-key.ts';
import { withOurServer } from '../objects/our-server.ts';
import { inThrees } from '../terminal/printable.ts';
import { ChainCheck, checkSignatures } from './check-chain.ts';
import type { ChainEnd } from './check-chain.ts';
import { verifyView } from './verify-view.ts';

export interface VerifyOptions {
  readonly head?: string;
  readonly key?: string;
}

const pageSize = 100;
/** The log is read so often at most, where entries are removed while it is. */
const mostReadings = 3;

/** Reads the whole audit log and follows its chain of hashes. 2 where it was changed, 5 where another key signed it. */
export async function runVerify(context: Context, options: VerifyOptions): Promise<ExitCode> {
  const earlier = options.head === undefined ? undefined : parseHead(options.head);
  const { baseUrl } = await context.client();
  const trusted = await findTrustedKey(context, options.key, baseUrl);
  const { head: server, check } = await withOurServer(
    context,
    'a chained audit log',
    'Reading the audit log',
    async (client, update) => {
      for (let left = mostReadings; ; left--) {
        const read = await readChain(client, earlier, update);
        if (read.check.problems.length === 0 || left === 1) return read;
        // Old entries that were removed meanwhile are missing from what was read, not from the log.
        const { data: now } = await client.auditLog.head({});
        if (now.anchor?.sequence === read.head.anchor?.sequence) return read;
      }
    },
  );
  const problems = [...checkSignatures(server), ...check.problems];
  const isOther = trusted !== undefined && trusted.id !== server.key.id;
  await context.show(verifyView({ server, check, problems, trusted }));
  if (problems.length > 0) return exitCodes.verdict;
  return isOther ? exitCodes.conflict : exitCodes.ok;
}

interface ReadChain {
  readonly head: AuditHead;
  readonly check: ChainCheck;
}

async function readChain(
  client: Client,
  earlier: ChainEnd | undefined,
  update: (text: string) => void,
): Promise<ReadChain> {
  const { data: head } = await client.auditLog.head({});
  const check = new ChainCheck(head.anchor, earlier);
  let has = 0;
  let cursor: string | undefined;
  for (let before = -1; before < check.count;) {
    before = check.count;
    const { data: page } = await client.auditLog.list({
      query: {
        sort_by: 'sequence',
        order: 'asc',
        limit: pageSize,
        ...(cursor === undefined ? {} : { cursor }),
      },
    });
    has += page.audit_log.length;
    for (const entry of page.audit_log) {
      // What came since the head was asked for is for the next time.
      if (entry.sequence <= head.head.sequence && !check.isDone) check.add(entry);
    }
    update(`Reading the audit log: ${inThrees(check.count)} entries`);
    cursor = page.pagination.next_cursor;
    // A page that brings nothing more is the last one, whatever the server says.
    if (cursor === undefined || check.last.sequence >= head.head.sequence || check.isDone) break;
  }
  check.end(head.head, has);
  return { head, check };
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
