import type { ErrorDetail } from '../../contract/errors.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Environment } from '../documents/variable.ts';
import { variableFault, variableHint } from '../documents/variable.ts';
import type { Secrets } from '../kinds/kind.ts';
import { createSecrets } from '../kinds/webhook-secrets.ts';
import type { Plan } from '../plan/plan.ts';
import { changeVariables, planVariables } from '../plan/plan.ts';
import { isSameVariable } from '../plan/variables.ts';

/**
 * Reads again the variables that a saved plan names.
 * @throws GovctlError usage_error for those that can't be used, plan_stale for those that have another value now
 */
export async function readPlanSecrets(plan: Plan, env: Environment): Promise<Secrets> {
  const values = new Map<string, string>();
  const unusable: ErrorDetail[] = [];
  const changed: ErrorDetail[] = [];
  for (const name of planVariables(plan)) {
    const field = placesOf(plan, name);
    const fault = variableFault(env, name);
    if (fault !== undefined) {
      unusable.push({ field, message: fault });
      continue;
    }
    const value = env[name] ?? '';
    values.set(name, value);
    if (!(await isSameVariable(plan.variables?.[name] ?? '', value))) {
      changed.push({ field, message: `${name} changed since the plan was created` });
    }
  }
  if (unusable.length > 0) {
    throw new GovctlError(
      'usage_error',
      'The plan requires environment variables that are missing or invalid; nothing was written',
      { details: unusable, hint: variableHint },
    );
  }
  if (changed.length > 0) {
    throw new GovctlError(
      'plan_stale',
      'The environment changed since the plan was created; nothing was written',
      {
        details: changed,
        hint: 'Set the variables to their values at the time of the plan, or run plan again.',
      },
    );
  }
  return createSecrets(values);
}

/** The files whose webhooks name a variable. */
const placesOf = ({ changes }: Plan, name: string): string => {
  const places = changes
    .filter((change) => changeVariables(change).includes(name))
    .map(({ key, place }) =>
      place ? `${place.file}:${place.line}:${place.column} (${key})` : key,
    );
  return places.join(', ');
};
