import type { Finding } from '../../contract/findings.ts';
import { indexSources } from '../../inventory/formats/terraform/source-lines.ts';
import type { ParsedText } from '../../inventory/text/parsed-text.ts';
import { fixInTurn } from './fix-in-turn.ts';
import type { FixGround, Outcome, Patches } from './fix-in-turn.ts';
import { proposeInTerraform } from './propose-in-terraform.ts';
import type { TerraformState } from './propose-in-terraform.ts';
import type { Judge, Judged } from './verify.ts';

/** Characters of a source. Each fix scans it several times. */
const largestSource = 1024 * 1024;
/** What a character of a source takes to scan, in characters of a template that are judged. */
const costOfScan = 0.1;

/** What a resource of a plan takes to judge, in characters of a template. */
const costOfResource = 300;

/**
 * Fixes findings of Terraform plans in the `.tf` files that the plans were made of, in their order. A change is judged by a
 * copy of each plan that has it. @throws GovctlError interrupted, by `judge`
 */
export async function fixSources<F extends Finding>(
  given: TerraformState,
  findings: readonly F[],
  patches: Patches,
  judge: Judge,
  { holding, eachAlone }: Pick<FixGround<TerraformState>, 'holding' | 'eachAlone'>,
): Promise<{
  readonly texts: ReadonlyMap<string, string>;
  readonly outcomes: readonly Outcome<F, TerraformState>[];
}> {
  const index = indexSources(Array.from(given.texts, ([path, text]) => ({ path, text })));
  const known = new WeakMap<object, Judged>();
  const judgePlan = async (plan: object): Promise<Judged | undefined> => {
    const judged = known.get(plan) ?? (await judge(parsedAs(plan)));
    if (judged) known.set(plan, judged);
    return judged;
  };
  const { state, outcomes } = await fixInTurn<TerraformState, F>(
    {
      judge: async ({ plans }) => {
        const all: Judged[] = [];
        for (const plan of plans) {
          const judged = await judgePlan(plan);
          if (!judged) return undefined;
          all.push(judged);
        }
        return all;
      },
      propose: (before, { address }, patch) => {
        const place = index.locate(address);
        if (!place) return { ok: false, why: 'no .tf file in --source declares the resource' };
        if (place.labels[0] !== 'resource')
          return { ok: false, why: 'the module of the resource is outside --source' };
        if ((before.texts.get(place.path)?.length ?? 0) > largestSource)
          return { ok: false, why: 'the file is larger than 1 MiB' };
        return proposeInTerraform(before, place, patch, index.folderOf);
      },
      holding,
      eachAlone,
      costOf: ({ plans, texts }) =>
        plans.reduce(
          (sum, plan) => sum + (known.get(plan)?.resources.size ?? 0) * costOfResource,
          [...texts.values()].reduce((sum, { length }) => sum + length * costOfScan, 0),
        ),
      unreadable: 'parts of the plan cannot be read',
    },
    given,
    findings,
    patches,
  );
  return { texts: state.texts, outcomes };
}

/** A document that was never a text: nothing of it has a place. */
const parsedAs = (document: unknown): ParsedText => ({
  document,
  problems: [],
  repeatedKeys: () => [],
  locate: (paths) => paths.map(() => ({ line: 1, column: 1 })),
});
