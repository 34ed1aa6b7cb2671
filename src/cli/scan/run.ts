import { defined } from '../../contract/defined.ts';
import type { Client } from '../../client/client.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Scan } from '../../contract/scans.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { findPolicyIds } from '../policy/policies.ts';
import { parseTimeout, showTimeout, waitUntilEnded } from '../objects/wait.ts';
import { isUnderway, scanView } from './scan-view.ts';

export interface RunOptions {
  readonly name?: string;
  readonly type?: readonly string[];
  readonly policy?: readonly string[];
  readonly wait?: boolean;
  readonly timeout: string;
}

export async function runScan(context: Context, options: RunOptions): Promise<ExitCode> {
  const timeoutMs = parseTimeout(options.timeout);
  const body = {
    ...defined({ name: options.name }),
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
  if (options.wait)
    await context.warn(`the scan has not ended within ${showTimeout(options.timeout)}`);
  await context.say(`\`govctl scan get ${scan.id}\` shows how far it is.`);
  return exitCodes.pending;
}

/** The scan when it has ended, or when the time is up. */
const waitFor = (
  client: Client,
  begun: Scan,
  timeoutMs: number,
  { world }: Context,
  update: (text: string) => void,
): Promise<Scan> =>
  waitUntilEnded(world, begun, {
    timeoutMs,
    isUnderway,
    lookLater: `\`govctl scan get ${begun.id}\` shows how far it is.`,
    look: async () => {
      const { data } = await client.scans.get({ params: { id: begun.id } });
      update(`Scanning: ${data.progress} %, ${data.resources_scanned} resources`);
      return data;
    },
  });
