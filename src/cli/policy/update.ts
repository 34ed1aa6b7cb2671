import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { PolicyUpdate, serverAssigned, severities } from '../../contract/policies.ts';
import type { Context } from '../context.ts';
import { changeObject, checkChanges } from '../objects/change.ts';
import { lookUp } from '../objects/get.ts';
import { keepOwnership, warnIfOwned } from '../objects/owned.ts';
import { shownBy } from '../objects/shown-by.ts';
import type { Style } from '../terminal/terminal.ts';
import { policies } from './policies.ts';
import { policyView } from './policy-view.ts';
import { parseSettings, readFields } from '../flags/read-fields.ts';

export interface UpdateOptions {
  readonly args: readonly [string];
  readonly file?: string;
  readonly set?: readonly string[];
  readonly ifMatch?: string;
}

const changeable = Object.keys(PolicyUpdate.shape).filter(
  (name) => !Object.hasOwn(serverAssigned, name),
);

export async function runUpdate(context: Context, options: UpdateOptions): Promise<ExitCode> {
  const change = await readChange(context, options);
  const [named] = options.args;
  const { client, item: before, etag } = await lookUp(context, policies, named);
  await warnIfOwned(context, before.name, before.tags);
  const changed = await changeObject(context, client, {
    of: policies.of,
    before,
    fields: keepOwnership(before.tags, change),
    // Tags are written whole, so they must not be those of an older state.
    ifMatch: options.ifMatch ?? (change.tags === undefined ? undefined : etag),
  });
  const headline = (style: Style): string => `${style.green('Updated')} ${changed.id}`;
  await context.show(policyView(changed, await shownBy(context, changed, { headline })));
  return exitCodes.ok;
}

async function readChange({ world }: Context, options: UpdateOptions): Promise<PolicyUpdate> {
  const fromFile =
    options.file === undefined ? {} : await readFields(world, options.file, PolicyUpdate);
  const fromFlags = await parseSettings(options.set ?? [], changeable);
  const change = { ...fromFile, ...fromFlags };
  checkChanges(change, 'Use --set field=value or -f FILE.');
  const parsed = PolicyUpdate.safeParse(change);
  if (parsed.success) return parsed.data;
  throw new GovctlError('usage_error', 'Invalid change', {
    details: parsed.error.issues.map(({ path, message }) => ({
      field: path.join('.'),
      message: path[0] === 'severity' ? explainSeverity(change.severity) : message,
    })),
  });
}

function explainSeverity(given: unknown): string {
  const nearest = nearestWord(String(given), severities);
  const known = `must be one of ${severities.join(', ')}`;
  return nearest ? `${known}. Did you mean ${nearest}?` : known;
}
