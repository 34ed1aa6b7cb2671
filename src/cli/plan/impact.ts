import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '../../client/client.ts';
import { impactOnInput, impactOnInventory } from '../../project/plan/find-impact.ts';
import type { Impact } from '../../project/plan/impact.ts';
import type { Plan } from '../../project/plan/plan.ts';
import type { Context } from '../context.ts';
import { notReadable } from '../flags/input-file.ts';
import { askOurServer } from '../objects/our-server.ts';

export interface ImpactOptions {
  readonly impact?: boolean;
  readonly impactFrom?: string;
}

/** Which resources a plan would make fail or pass: of a file, or of the service's inventory. */
export async function findImpact(
  context: Context,
  client: Client,
  plan: Plan,
  { impact, impactFrom }: ImpactOptions,
): Promise<Impact | undefined> {
  const { cwd, now } = context.world;
  if (impactFrom !== undefined) {
    const bytes = await readFile(path.resolve(cwd, impactFrom)).catch((cause: unknown) => {
      throw notReadable(`--impact-from ${impactFrom}`, cause);
    });
    return impactOnInput(plan, { file: impactFrom, bytes }, now());
  }
  if (!impact) return undefined;
  return askOurServer('an inventory for --impact (--impact-from FILE takes one)', () =>
    context.progress('Evaluating the changes over the inventory', (update) =>
      impactOnInventory(client, plan, (resources) =>
        update(`Evaluating the changes over the inventory: ${resources} resources`),
      ),
    ),
  );
}
