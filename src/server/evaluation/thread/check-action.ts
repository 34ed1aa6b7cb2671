import { checkAction } from '../../../engine/remediation/check-action.ts';
import type { ActionQuestion, Answer } from './messages.ts';

/** Loads what is known of resource types only where it is asked for. */
export async function answerAction({ text, type, rules }: ActionQuestion): Promise<Answer> {
  const { whyUnfit } = await import('../../../inventory/attributes/why-unfit.ts');
  const problem = checkAction({
    text,
    rules,
    whyUnfit: (attribute, value) => whyUnfit(type, attribute, value),
  });
  return { kind: 'action', problem: problem ?? null };
}
