import { impactOnInput, impactOnInventory } from '../../project/plan/find-impact.ts';
import type { Impact } from '../../project/plan/impact.ts';
import type { Plan } from '../../project/plan/plan.ts';
import type { Repo } from '../../project/plan/read-repo.ts';
import type { Context } from '../context.ts';
import { readInputBytes } from '../flags/input-file.ts';
import { askOurServer } from '../objects/our-server.ts';
import { inThrees } from '../terminal/printable.ts';

export interface ImpactOptions {
  readonly impact?: boolean;
  readonly impactFrom?: string;
}

/** Which resources a plan would make fail or pass: of a file, or of the service's inventory. */
export async function findImpact(
  context: Context,
  { client, live }: Pick<Repo, 'client' | 'live'>,
  plan: Plan,
  { impact, impactFrom }: ImpactOptions,
): Promise<Impact | undefined> {
  const { holding, now } = context.world;
  if (impactFrom !== undefined) {
    const name = `--impact-from ${impactFrom}`;
    const bytes = await readInputBytes(context.world, impactFrom, name);
    return holding(() => impactOnInput({ plan, live }, { file: impactFrom, bytes }, now()));
  }
  if (!impact) return undefined;
  return askOurServer('a resource inventory (use --impact-from FILE instead of --impact)', () =>
    context.progress('Evaluating changes against the inventory', (update) =>
      impactOnInventory(client, { plan, live }, now(), (resources) =>
        update(`Evaluating changes against the inventory: ${inThrees(resources)} resources`),
      ),
    ),
  );
}
