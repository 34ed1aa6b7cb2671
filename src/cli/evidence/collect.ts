import type { Client } from '../../client/client.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { BundleInput } from '../../contract/evidence.ts';
import type { Context, Run } from '../context.ts';
import { parseMoment } from '../flags/moment.ts';
import { shownBy } from '../objects/shown-by.ts';
import { withOurServer } from '../objects/our-server.ts';
import { parseTimeout, showTimeout, waitUntilEnded } from '../objects/wait.ts';
import type { Bundle } from './bundles.ts';
import { bundleView, feature } from './bundles.ts';

interface CollectOptions {
  readonly args: readonly [framework: string, controls: readonly string[]];
  readonly since?: string;
  readonly name?: string;
  readonly wait: boolean;
  readonly timeout: string;
}

/** 0 completed, 1 failed, 8 still being built. */
export const runCollect: Run<CollectOptions> = async (context, options) => {
  const { args, since, name, wait, timeout } = options;
  const [framework, controls] = args;
  const timeoutMs = parseTimeout(timeout);
  const body = {
    framework,
    ...(controls.length > 0 ? { controls: [...controls] } : {}),
    ...defined({
      name,
      since: since === undefined ? undefined : parseMoment('--since', since, context.world.now()),
    }),
  };
  const bundle = await withOurServer(
    context,
    feature,
    'Collecting evidence',
    async (client, update) => {
      const begun = await collect(client, body);
      return wait ? waitForBundle(context, client, begun, { timeoutMs, update }) : begun;
    },
  );
  await context.show(bundleView(bundle, await shownBy(context, bundle)));
  return howItEnded(context, bundle, wait ? timeout : undefined);
};

/** Has the service record the moment; it builds the bundle in the background. */
export const collect = async (client: Client, body: BundleInput): Promise<Bundle> =>
  (await client.evidence.collect({ body })).data;

interface Waiting {
  readonly timeoutMs: number;
  readonly update: (text: string) => void;
}

export async function waitForBundle(
  { world, say }: Context,
  client: Client,
  begun: Bundle,
  { timeoutMs, update }: Waiting,
): Promise<Bundle> {
  const { id } = begun;
  update(`Building ${id}`);
  if (begun.status === 'building' && !world.terminal.stderrIsTty) await say(`Building ${id}`);
  return waitUntilEnded(world, begun, {
    timeoutMs,
    isUnderway: ({ status }) => status === 'building',
    lookLater: `Run \`govctl evidence get ${id}\` to check its status.`,
    look: async () => (await client.evidence.get({ params: { id } })).data,
  });
}

/** @param timeout of a wait that may have ended before the bundle was built */
export async function howItEnded(
  { say, warn }: Context,
  { id, status }: Bundle,
  timeout: string | undefined,
): Promise<ExitCode> {
  if (status === 'completed') return exitCodes.ok;
  if (status === 'failed') return exitCodes.error;
  if (timeout !== undefined) {
    await warn(
      `${id} was not built within ${showTimeout(timeout)}; the server is still building it.`,
    );
  }
  await say(`Run \`govctl evidence get ${id}\` to check its status.`);
  return exitCodes.pending;
}
