import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { parseTypes } from '../flags/parse-types.ts';
import { withOurServer } from '../objects/our-server.ts';
import { findIds } from '../objects/find.ts';
import { policies } from '../policy/policies.ts';
import { parseTimeout, showTimeout, waitUntilEnded } from '../objects/wait.ts';
import { inThrees } from '../terminal/printable.ts';
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
    ...(options.type ? { resource_types: parseTypes(options.type, 'none') } : {}),
  };
  const scan = await withOurServer(context, 'scans', 'Starting scan', async (client, update) => {
    const only = options.policy && {
      policy_ids: await findIds(context, client, policies, options.policy),
    };
    const { data } = await client.scans.create({ body: { ...body, ...only } });
    if (!options.wait) return data;
    const { id } = data;
    return waitUntilEnded(context.world, data, {
      timeoutMs,
      isUnderway,
      lookLater: `Use \`govctl scan get ${id}\` to see its progress.`,
      look: async () => {
        const { data: seen } = await client.scans.get({ params: { id } });
        update(`Scanning: ${seen.progress}%, ${inThrees(seen.resources_scanned)} resources`);
        return seen;
      },
    });
  });
  await context.show(scanView(scan));
  if (scan.status === 'failed') return exitCodes.error;
  if (scan.status === 'completed') return exitCodes.ok;
  if (options.wait)
    await context.warn(`the scan did not finish within ${showTimeout(options.timeout)}`);
  await context.say(`Use \`govctl scan get ${scan.id}\` to see its progress.`);
  return exitCodes.pending;
}
