import type { Client } from '../../client/client.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { policyFilterOf, violationFilterOf } from '../violation/filter-flags.ts';
import type { ViolationFlags } from '../violation/filter-flags.ts';

/** What a command selects violations by. */
export interface Selection extends ViolationFlags {
  readonly args: readonly [ids: readonly string[]];
  readonly note?: string;
}

/** The selector of the request. @throws GovctlError usage_error where nothing is selected, or in two ways */
export async function selectorOf(context: Context, client: Client, selection: Selection) {
  const { args, note } = selection;
  const [ids] = args;
  const filter = {
    ...violationFilterOf(selection),
    ...(await policyFilterOf(selection, context, client)),
  };
  const isFiltered = Object.keys(filter).length > 0;
  if (isFiltered === ids.length > 0) {
    throw new GovctlError(
      'usage_error',
      isFiltered ? 'Use either violation IDs or filters' : 'No violations selected',
      { hint: 'Use violation IDs, or filters such as --policy, --framework and --severity.' },
    );
  }
  const why = defined({ note });
  return ids.length > 0 ? { ...why, violation_ids: [...ids] } : { ...why, filter };
}
