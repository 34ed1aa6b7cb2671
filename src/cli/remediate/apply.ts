import type { Client } from '../../client/client.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { RemediationWithActions } from '../../contract/remediations.ts';
import type { Context } from '../context.ts';
import type { ApprovalOptions } from '../flags/approval.ts';
import { approvalRequired, isApproved, notApproved } from '../flags/approval.ts';
import { withOurServer } from '../objects/our-server.ts';
import { parseTimeout, waitUntilEnded } from '../objects/wait.ts';
import { count } from '../terminal/printable.ts';
import { withAllActions } from './plan.ts';
import { isAtWork, remediationView } from './remediation-view.ts';
import { selectorOf } from './selection.ts';
import type { Selection } from './selection.ts';

export interface Waiting {
  readonly wait: boolean;
  readonly timeout: string;
}

export async function runApply(
  context: Context,
  options: Selection & ApprovalOptions & Waiting,
): Promise<ExitCode> {
  const timeoutMs = parseTimeout(options.timeout);
  const wanted = isApproved(options)
    ? await select(context, options)
    : whatWasShown(
        await planAndAsk(context, async (client) => {
          const selector = await selectorOf(context, client, options);
          return client.remediations.create({ body: { ...selector, dry_run: true } });
        }),
        options,
      );
  return carryOut(context, options.wait ? timeoutMs : undefined, (client) =>
    client.remediations.create({ body: { ...wanted, dry_run: false } }),
  );
}

const whatWasShown = ({ actions, digest }: RemediationWithActions, { note }: Selection) => ({
  violation_ids: actions.filter(isPlanned).map(({ violation_id: id }) => id),
  expected_digest: digest,
  ...defined({ note }),
});

const isPlanned = ({ status }: RemediationWithActions['actions'][number]): boolean =>
  status === 'planned';

type Ask = (client: Client) => Promise<{ readonly data: RemediationWithActions }>;

/** Asks the service to carry out a plan. @param timeoutMs undefined: do not wait */
export async function carryOut(
  context: Context,
  timeoutMs: number | undefined,
  ask: Ask,
): Promise<ExitCode> {
  const done = await withOurServer(
    context,
    'remediations',
    'Running remediation',
    async (client) => {
      const { data } = await ask(client);
      return timeoutMs === undefined ? data : waitForEnd(context, client, data, timeoutMs);
    },
  );
  await context.show(remediationView(done));
  return endOf(context, done);
}

const select = (context: Context, options: Selection) =>
  withOurServer(context, 'remediations', 'Finding violations', (client) =>
    selectorOf(context, client, options),
  );

/**
 * Shows what would be done, and asks whether to do just that.
 * @returns what was shown
 * @throws GovctlError approval_required, remediation_guard
 */
export async function planAndAsk(
  context: Context,
  ask: Ask,
  look = 'govctl remediate plan',
): Promise<RemediationWithActions> {
  if (!context.flags.input) {
    throw approvalRequired(`Nothing was changed. Use \`${look}\` to see what would change.`);
  }
  const plan = await withOurServer(
    context,
    'remediations',
    'Planning remediation',
    async (client) => {
      const { data } = await ask(client);
      const shown = await withAllActions(client, data);
      // Created only to show it; a new remediation with the same digest is carried out.
      await client.remediations.cancel({ params: { id: data.id }, body: { reason: 'shown' } });
      return shown;
    },
  );
  refuseGuarded(plan);
  const { stderr, columns } = context.world.terminal;
  await stderr.write(`${remediationView(plan).human(context.talkStyle, columns)}\n`);
  const question = `Execute ${count(plan.actions.filter(isPlanned).length, 'action')}?`;
  if (!(await context.world.prompt.confirm(question, false))) throw notApproved();
  return plan;
}

function refuseGuarded({ why_not: guards }: RemediationWithActions): void {
  if (guards.length === 0) return;
  throw new GovctlError('remediation_guard', `Refused by a guard: ${guards.join('; ')}`, {
    hint: "Select fewer violations, or change remediation.guards in the server's configuration.",
  });
}

async function waitForEnd(
  { world }: Context,
  client: Client,
  begun: RemediationWithActions,
  timeoutMs: number,
): Promise<RemediationWithActions> {
  const { id } = begun;
  const look = async () => (await client.remediations.get({ params: { id } })).data;
  const ended = await waitUntilEnded(world, begun, {
    timeoutMs,
    isUnderway: isAtWork,
    lookLater: `Use \`govctl remediate get ${id}\` to see its progress.`,
    look,
  });
  return withAllActions(client, ended);
}

/** The exit code for the status of a remediation. */
async function endOf(
  context: Context,
  { id, status, counts }: RemediationWithActions,
): Promise<ExitCode> {
  switch (status) {
    case 'completed':
      return exitCodes.ok;
    case 'planned':
      await context.say(`To approve the remediation, run \`govctl remediate approve ${id}\`.`);
      return exitCodes.pending;
    case 'approved':
    case 'running':
      await context.say(`Use \`govctl remediate get ${id}\` to see its progress.`);
      return exitCodes.pending;
    default:
      return counts.completed > 0 ? exitCodes.partial : exitCodes.error;
  }
}
