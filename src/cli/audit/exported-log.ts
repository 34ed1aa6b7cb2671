import { open } from 'node:fs/promises';
import path from 'node:path';
import { AuditEntry, AuditHead } from '../../contract/audit-log.ts';
import { GovctlError } from '../../contract/errors.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import type { World } from '../context.ts';
import { ChainCheck } from './check-chain.ts';
import type { ChainEnd, Problem } from './check-chain.ts';
import type { ReadLog } from './read-log.ts';

/** The first line of an exported log has this, and the signed head; each further line is an entry. */
export const exportFormat = 'govctl-audit-export-v1';

/** Follows the chain of an exported log. @throws GovctlError invalid_file for what is none */
export async function readExportedLog(
  world: Pick<World, 'cwd' | 'signal'>,
  file: string,
  earlier: ChainEnd | undefined,
): Promise<ReadLog & { readonly problems: readonly Problem[] }> {
  const problems: Problem[] = [];
  let head: AuditHead | undefined;
  let check: ChainCheck | undefined;
  let number = 0;
  const handle = await open(path.resolve(world.cwd, file)).catch((cause: unknown) => {
    throw new GovctlError('invalid_file', `${file}: ${whyFileFailed(cause)}`, { cause });
  });
  try {
    for await (const line of handle.readLines({ encoding: 'utf8' })) {
      world.signal.throwIfAborted();
      number += 1;
      if (!head || !check) {
        head = readHead(line, file);
        check = new ChainCheck(head.anchor, earlier);
        continue;
      }
      const entry = AuditEntry.safeParse(parsed(line));
      if (entry.success) {
        if (!check.isDone) check.add(entry.data);
      } else if (problems.length === 0) {
        problems.push({ message: `line ${number} of the file is not an audit log entry` });
      }
    }
  } finally {
    await handle.close();
  }
  if (!head || !check) throw noExport(file);
  check.end(head.head, check.count);
  return { head, check, problems };
}

function readHead(line: string, file: string): AuditHead {
  const value = parsed(line);
  const head = AuditHead.safeParse(value);
  if (head.success && head.data.format === exportFormat) return head.data;
  throw noExport(file);
}

const noExport = (file: string): GovctlError =>
  new GovctlError('invalid_file', `${file} is not an exported audit log`, {
    hint: 'Use a file from `govctl audit export`.',
  });

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
