import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Scan } from '../../contract/scans.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../our-server.ts';
import { findPolicyIds } from '../policy/find-policy.ts';
import { scanView } from './scan-view.ts';

export interface RunOptions {
  readonly name?: string;
  readonly type?: readonly string[];
  readonly policy?: readonly string[];
  readonly wait?: boolean;
  readonly timeout: string;
}

/** Milliseconds between two looks, growing from the first to the last. */
const firstPause = 100;
const longestPause = 2_000;

export async function runScan(context: Context, options: RunOptions): Promise<ExitCode> {
  const timeoutMs = parseTimeout(options.timeout);
  const body = {
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.type ? { resource_types: [...options.type] } : {}),
  };
  const scan = await withOurServer(context, 'scans', 'Starting it', async (client, update) => {
    const policies = options.policy && {
      policy_ids: await findPolicyIds(context, client, options.policy),
    };
    const { data } = await client.scans.create({ body: { ...body, ...policies } });
    return options.wait ? waitFor(client, data, timeoutMs, context, update) : data;
  });
  await context.show(scanView(scan));
  if (scan.status === 'failed') return exitCodes.error;
  if (scan.status === 'completed') return exitCodes.ok;
  if (options.wait) await context.warn(`the scan has not ended within ${options.timeout} s`);
  await context.say(`\`govctl scan get ${scan.id}\` shows how far it is.`);
  return exitCodes.pending;
}

/** Milliseconds. @throws GovctlError usage_error */
function parseTimeout(text: string): number {
  if (/^\d{1,7}$/.test(text) && Number(text) > 0) return Number(text) * 1_000;
  throw new GovctlError('usage_error', `--timeout ${text}: give a whole number of seconds`);
}

/** The scan when it has ended, or when the time is up. */
async function waitFor(
  client: Client,
  begun: Scan,
  timeoutMs: number,
  { world }: Context,
  update: (text: string) => void,
): Promise<Scan> {
  const until = performance.now() + timeoutMs;
  let scan = begun;
  for (let pause = firstPause; isUnderway(scan); pause = Math.min(pause * 1.5, longestPause)) {
    const left = until - performance.now();
    if (left <= 0) return scan;
    // Interrupted: the next request says so.
    await sleep(Math.min(pause, left), undefined, { signal: world.signal }).catch(() => undefined);
    scan = (await client.scans.get({ params: { id: scan.id } })).data;
    update(`Scanning: ${scan.progress} %, ${scan.resources_scanned} resources`);
  }
  return scan;
}

const isUnderway = ({ status }: Scan): boolean => status === 'pending' || status === 'running';
