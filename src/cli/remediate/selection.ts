import type { Client } from '../../client/client.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Severity } from '../../contract/policies.ts';
import type { Context } from '../context.ts';
import { findIds } from '../objects/find.ts';
import { policies } from '../policy/policies.ts';

/** What a command selects violations by. */
export interface Selection {
  readonly args: readonly [ids: readonly string[]];
  readonly policy?: readonly string[];
  readonly framework?: string;
  readonly severity?: readonly string[];
  readonly resource?: string;
  readonly type?: readonly string[];
  readonly provider?: readonly string[];
  readonly account?: readonly string[];
  readonly region?: readonly string[];
  readonly environment?: readonly string[];
  readonly note?: string;
}

/** The selector of the request. @throws GovctlError usage_error where nothing is selected, or in two ways */
export async function selectorOf(context: Context, client: Client, selection: Selection) {
  const { args, policy, framework, severity, resource, type, note, ...where } = selection;
  const [ids] = args;
  const filter = defined({
    severity: severity?.map((one) => one.toUpperCase() as Severity), // the service refuses others
    resource_id: resource,
    resource_type: type && [...type],
    provider: where.provider && [...where.provider],
    account_id: where.account && [...where.account],
    region: where.region && [...where.region],
    environment: where.environment && [...where.environment],
  });
  const isFiltered = Object.keys(filter).length > 0 || policy !== undefined;
  const ways = [ids.length > 0, framework !== undefined, isFiltered].filter(Boolean).length;
  if (ways !== 1) {
    throw new GovctlError(
      'usage_error',
      ways === 0 ? 'No violations selected' : 'Use only one way to select violations',
      {
        hint: 'Use violation IDs, --framework, or filters such as --policy and --severity.',
      },
    );
  }
  const why = defined({ note });
  if (ids.length > 0) return { ...why, violation_ids: [...ids] };
  if (framework !== undefined) return { ...why, framework };
  if (policy === undefined) return { ...why, filter };
  return {
    ...why,
    filter: { ...filter, policy_id: await findIds(context, client, policies, policy) },
  };
}
