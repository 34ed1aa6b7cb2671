import { compileRule } from '../../../engine/compile-rule.ts';
import { attributesOf } from '../../../engine/condition/program.ts';
import { checkAction } from '../../../engine/remediation/check-action.ts';
import type { ActionQuestion, Answer } from './messages.ts';

/** Loads what is known of resource types only where it is asked for. */
export async function answerAction({ text, type, rules }: ActionQuestion): Promise<Answer> {
  const { whyUnfit } = await import('../../../inventory/attributes/why-unfit.ts');
  const attributes = rules.flatMap((rule) => {
    const compiled = compileRule(rule);
    return compiled.ok ? [...attributesOf(compiled.condition.program.root)] : [];
  });
  const problem = checkAction({
    text,
    attributes,
    whyUnfit: (attribute, value) => whyUnfit(type, attribute, value),
  });
  return { kind: 'action', problem: problem ?? null };
}
