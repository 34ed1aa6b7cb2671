import type { Finding } from '../../contract/findings.ts';
import { parseText } from '../../inventory/text/parse.ts';
import type { TextParse } from '../../inventory/text/parsed-text.ts';
import { fixInTurn } from './fix-in-turn.ts';
import type { FixGround, Outcome, Patches } from './fix-in-turn.ts';
import { proposeInTemplate } from './propose-in-template.ts';
import type { Judge } from './verify.ts';

/** Fixes findings of a CloudFormation template, in their order. @throws GovctlError interrupted, by `judge` */
export async function fixTemplate<F extends Finding>(
  text: string,
  findings: readonly F[],
  patches: Patches,
  judge: Judge,
  { holding, eachAlone }: Pick<FixGround<string>, 'holding' | 'eachAlone'>,
): Promise<{ readonly text: string; readonly outcomes: readonly Outcome<F, string>[] }> {
  const parse = createParse();
  const { state, outcomes } = await fixInTurn<string, F>(
    {
      judge: async (given) => {
        const read = holding(() => parse(given));
        const judged = read.ok ? await judge(read.parsed) : undefined;
        return judged && [judged];
      },
      propose: (given, { at, resource }, patch) => {
        const proposed = proposeInTemplate(given, at, resource.type, patch, parse);
        return proposed.ok ? { ok: true, state: proposed.text } : proposed;
      },
      holding,
      eachAlone,
      costOf: (given) => given.length,
      unreadable: 'only CloudFormation templates that can be read completely can be fixed',
    },
    text,
    findings,
    patches,
  );
  return { text: state, outcomes };
}

/** Reads a text once while it is one of the last two: that before a change, and that with it. */
function createParse(): typeof parseText {
  const known = new Map<string, TextParse>();
  return (text) => {
    const parse = known.get(text) ?? parseText(text);
    known.delete(text);
    known.set(text, parse);
    const [oldest] = known.keys();
    if (known.size > 2 && oldest !== undefined) known.delete(oldest);
    return parse;
  };
}
