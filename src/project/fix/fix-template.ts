import type { Finding } from '../../contract/findings.ts';
import { parseText } from '../../inventory/text/parse.ts';
import type { Holding } from '../model.ts';
import { fixInTurn } from './fix-in-turn.ts';
import type { Outcome, Patches } from './fix-in-turn.ts';
import { proposeInTemplate } from './propose-in-template.ts';
import type { Judge } from './verify.ts';

/** Fixes findings of a CloudFormation template, in their order. @throws GovctlError interrupted, by `judge` */
export async function fixTemplate<F extends Finding>(
  text: string,
  findings: readonly F[],
  patches: Patches,
  judge: Judge,
  holding: Holding,
): Promise<{ readonly text: string; readonly outcomes: readonly Outcome<F>[] }> {
  const { state, outcomes } = await fixInTurn<string, F>(
    {
      judge: async (given) => {
        const parse = holding(() => parseText(given));
        const judged = parse.ok ? await judge(parse.parsed) : undefined;
        return judged && [judged];
      },
      propose: (given, { at, resource }, patch) => {
        const proposed = proposeInTemplate(given, at, resource.type, patch);
        return proposed.ok ? { ok: true, state: proposed.text } : proposed;
      },
      holding,
      costOf: (given) => given.length,
      unreadable: 'fixes are for CloudFormation templates that can be read as a whole',
    },
    text,
    findings,
    patches,
  );
  return { text: state, outcomes };
}
