import { open, rm } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { Client } from '../../../client/client.ts';
import { GovctlError } from '../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import { outputFailed } from '../../terminal/output.ts';
import type { ShownReport } from '../report-objects.ts';
import { downloadAside } from './download-aside.ts';
import type { Password } from './download-report.ts';

const lineFeed = 0x0a;

const readable: readonly string[] = ['csv', 'json', 'html'];

/** What no person can read is not written to a terminal. @throws GovctlError usage_error */
export function refuseTerminal({ world, flags }: Context, asked?: readonly string[]): void {
  if (flags.output.some(({ file }) => file === undefined)) {
    throw new GovctlError('usage_error', '--out - and -o both write to standard output');
  }
  if (!world.terminal.stdoutIsTty) return;
  if (asked?.every((format) => readable.includes(format))) return;
  throw new GovctlError('usage_error', 'Refusing to write a binary file to a terminal', {
    hint: 'Use --out FILE, or a pipe.',
  });
}

/**
 * Fetches a report's file and writes it to a pipe, once it is whole and its hash is right: who reads the pipe could not
 * take half a file back.
 * @param name `-`: standard output
 */
export async function streamFormat(
  context: Context,
  client: Client,
  report: ShownReport,
  format: string,
  name: string,
  password: Password,
): Promise<void> {
  const file = await downloadAside(context, client, report, format, password);
  try {
    if (name !== '-') return await copyInto(file, name);
    let lines = 0;
    for await (const chunk of createReadStream(file)) {
      const bytes = chunk as Buffer;
      for (const byte of bytes) if (byte === lineFeed) lines += 1;
      await context.world.terminal.stdout.write(bytes);
    }
    if (format === 'csv' && !report.protected && lines <= 1) {
      await context.say(`No data: the CSV of report ${report.id} contains only the header.`);
    }
  } finally {
    await rm(path.dirname(file), { recursive: true, force: true });
  }
}

async function copyInto(file: string, name: string): Promise<void> {
  try {
    const handle = await open(name, 'w');
    try {
      for await (const bytes of createReadStream(file)) await handle.write(bytes as Buffer);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw outputFailed(name, cause);
  }
}
