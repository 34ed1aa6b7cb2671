import type { Client } from '../../client/client.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { RemediationWithActions } from '../../contract/remediations.ts';
import { actionStatuses, maxActions } from '../../contract/remediations.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { isUnderway, remediationView } from './remediation-view.ts';
import { selectorOf } from './selection.ts';
import type { Selection } from './selection.ts';

export const runPlan = (context: Context, selection: Selection): Promise<ExitCode> =>
  showPlan(context, async (client) => {
    const selector = await selectorOf(context, client, selection);
    return client.remediations.create({ body: { ...selector, dry_run: true } });
  });

export async function showPlan(
  context: Context,
  ask: (client: Client) => Promise<{ readonly data: RemediationWithActions }>,
): Promise<ExitCode> {
  const plan = await withOurServer(
    context,
    'remediations',
    'Planning remediation',
    async (client) => withAllActions(client, (await ask(client)).data),
  );
  await context.show(remediationView(plan));
  return plan.why_not.length > 0 ? exitCodes.guard : exitCodes.ok;
}

export async function runShow(
  context: Context,
  { args: [id] }: { readonly args: readonly [string] },
): Promise<ExitCode> {
  const remediation = await withOurServer(
    context,
    'remediations',
    'Loading remediation',
    (client) => readWithActions(client, id),
  );
  await context.show(remediationView(remediation));
  return isUnderway(remediation) ? exitCodes.pending : exitCodes.ok;
}

export const readWithActions = async (
  client: Client,
  id: string,
): Promise<RemediationWithActions> =>
  withAllActions(client, (await client.remediations.get({ params: { id } })).data);

/** An answer holds some of the actions; the others are read here. */
export async function withAllActions(
  client: Client,
  first: RemediationWithActions,
): Promise<RemediationWithActions> {
  const actions = [...first.actions];
  const counted = actionStatuses.reduce((sum, status) => sum + Number(first.counts[status]), 0);
  // A server that nobody trusts may count more than there can be.
  const all = Math.min(counted, maxActions);
  while (actions.length < all) {
    const { data } = await client.remediations.get({
      params: { id: first.id },
      query: { actions_offset: String(actions.length) },
    });
    if (data.actions.length === 0) break;
    actions.push(...data.actions);
  }
  return { ...first, actions };
}
