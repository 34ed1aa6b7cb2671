import type { Client } from '../../client/client.ts';
import { readObject, updateObject } from '../../client/objects.ts';
import type { ObjectsOf } from '../../client/objects.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context, Run } from '../context.ts';
import { printableLine } from '../terminal/printable.ts';
import type { ApprovalOptions } from '../flags/approval.ts';
import { confirmChange } from '../flags/approval.ts';
import type { Style } from '../terminal/terminal.ts';
import type { OneOf } from './get.ts';
import { lookUp } from './get.ts';
import type { DescribedNoun, Noun, Switch, WithId } from './noun.ts';
import { apiOf } from './noun.ts';
import { withServer } from './our-server.ts';
import { shownBy } from './shown-by.ts';
import { keepOwnership, warnIfKept, warnIfOwned } from './owned.ts';

interface Change<Item extends WithId> {
  readonly of: ObjectsOf<Item>;
  readonly before: Item;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly ifMatch?: string | undefined;
}

/** Sends a change. @returns the changed object, read again if the response does not contain it */
export async function changeObject<Item extends WithId>(
  context: Context,
  client: Client,
  { of, before, fields, ifMatch }: Change<Item>,
): Promise<Item> {
  const { item } = await context.progress(`Updating ${of.one}`, () =>
    updateObject(client, of, { id: before.id, body: fields, ...defined({ ifMatch }) }),
  );
  return item ?? (await readObject(client, of, before.id))?.item ?? before;
}

/** @throws GovctlError usage_error if no field was given */
export function checkChanges(fields: object, hint: string): void {
  if (Object.keys(fields).length > 0) return;
  throw new GovctlError('usage_error', 'No changes specified', { hint });
}

export interface UpdateFlags extends OneOf {
  readonly ifMatch?: string;
}

/** What `update` of a noun sends. */
export interface Changes<Flags> {
  /** The API's fields from the flags. @throws GovctlError usage_error */
  readonly fieldsOf: (flags: Flags, context: Context) => object;
  /** Shown when no field was given. */
  readonly hint: string;
  /** Warns about the flags before the change is sent. */
  readonly warn?: (flags: Flags, context: Context) => Promise<void>;
}

/** `update` of a noun that only our server has, by ID. */
export const updateNoun =
  <Item extends WithId, Flags>({ fieldsOf, hint, warn }: Changes<Flags>) =>
  (noun: Noun<Item, never>): Run<UpdateFlags & Flags> =>
  async (context, flags) => {
    if ('of' in noun)
      throw new TypeError('a noun with its own description needs its own update function');
    const fields = fieldsOf(flags, context);
    checkChanges(fields, hint);
    const params = { id: flags.args[0] };
    const tags = await warnIfKept(context, noun, params.id);
    await warn?.(flags, context);
    const input = { params, body: keepOwnership(tags, fields) };
    const { data } = await withServer(context, noun, `Updating ${noun.one}`, (client) =>
      apiOf(noun, client, 'update')(input, defined({ ifMatch: flags.ifMatch })),
    );
    const headline = (style: Style): string => `${style.green('Updated')} ${data.id}`;
    await context.show(await noun.view(data, await shownBy(context, data, { headline })));
    return exitCodes.ok;
  };

/** `enable` or `disable` of a noun, or its own words for them. Switching off prompts; it requires --yes without a terminal. */
export const switchNoun =
  <Item extends WithId>(isOn: boolean) =>
  (noun: Noun<Item, never>): Run<OneOf & ApprovalOptions> =>
  async (context, { args: [named], ...options }) => {
    if (!isSwitched(noun)) throw new TypeError('this noun cannot be enabled or disabled');
    const { of, names, switch: its } = noun;
    const { client, item: before, etag } = await lookUp(context, noun, named);
    const isSame = its.isOn(before) === isOn;
    if (!isSame) await warnIfOwned(context, names.nameOf(before), names.tagsOf?.(before));
    if (!isSame && !isOn) {
      const { verb, state: past } = its.words.off;
      const what = `${of.one} ${printableLine(`${names.nameOf(before)} (${before.id})`)}`;
      const question = `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${what}?`;
      await confirmChange(context, { what, verb, past }, question, options);
    }
    const fields = { [its.field]: isOn };
    const ifMatch = its.isGuarded ? etag : undefined;
    const item = isSame
      ? before
      : await changeObject(context, client, { of, before, fields, ifMatch });
    const who = printableLine(`${names.nameOf(item)} (${item.id})`);
    const { state, done } = its.words[isOn ? 'on' : 'off'];
    await context.show({
      value: item as Readonly<Record<string, unknown>>, // an object of the API
      human: (style) =>
        isSame
          ? `${who} is already ${state}\n`
          : `${style.green(done)} ${who}${printableLine(its.after?.(item) ?? '')}\n`,
    });
    await its.say?.(context, { before, isOn, named });
    return exitCodes.ok;
  };

type SwitchedNoun<Item extends WithId> = DescribedNoun<Item, never> & {
  readonly switch: Switch<Item>;
};

const isSwitched = <Item extends WithId>(noun: Noun<Item, never>): noun is SwitchedNoun<Item> =>
  'of' in noun && noun.switch !== undefined;
