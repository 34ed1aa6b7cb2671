import { deleteObject } from '../../client/objects.ts';
import { defined } from '../../contract/defined.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context, Run } from '../context.ts';
import type { ApprovalOptions } from '../flags/approval.ts';
import { confirmChange } from '../flags/approval.ts';
import { printableLine } from '../terminal/printable.ts';
import { lookUp } from './get.ts';
import type { Asked, DescribedNoun, Noun, OwnNoun, Removal, WithId } from './noun.ts';
import { apiOf } from './noun.ts';
import { warnIfKept, warnIfOwned } from './owned.ts';
import { withServer } from './our-server.ts';

interface DeleteFlags extends ApprovalOptions {
  readonly args: readonly [string];
  readonly ifMatch?: string;
}

/** `delete` of a noun, after a prompt; requires --yes without a terminal. */
export const deleteNoun = <Item extends WithId>(noun: Noun<Item, never>): Run<DeleteFlags> =>
  'of' in noun ? deleteFound(noun) : deleteById(noun);

const deleteFound =
  <Item extends WithId>(noun: DescribedNoun<Item, never>): Run<DeleteFlags> =>
  async (context, flags) => {
    const { of, names, removal = {} } = noun;
    const { client, item } = await lookUp(context, noun, flags.args[0]);
    const { id } = item;
    const name = names.nameOf(item);
    await warnIfOwned(context, name, names.tagsOf?.(item));
    const who = printableLine(`${name} (${id})`);
    const asked = removal.asked?.(item, who, client) ?? { what: `${of.one} ${who}` };
    await confirmRemoval(context, asked, removal, flags);
    const options = defined({ ifMatch: flags.ifMatch });
    await context.progress(`${wordsOf(removal).doing} ${of.one}`, () =>
      removal.send ? removal.send(client, id, options) : deleteObject(client, of, id, options),
    );
    const more = removal.value?.(item) ?? { name };
    await showRemoved(context, removal, `${who}${removal.after ?? ''}`, { id, more });
    return exitCodes.ok;
  };

const deleteById =
  <Item extends WithId>(noun: OwnNoun<Item, never>): Run<DeleteFlags> =>
  async (context, flags) => {
    const { one, removal = {} } = noun;
    const [id] = flags.args;
    const who = printableLine(id);
    await warnIfKept(context, noun, id);
    await confirmRemoval(context, { what: `${one} ${who}` }, removal, flags);
    await withServer(context, noun, `${wordsOf(removal).doing} ${one}`, (client) =>
      apiOf(noun, client, 'delete')({ params: { id } }, defined({ ifMatch: flags.ifMatch })),
    );
    await showRemoved(context, removal, `${who}${removal.after ?? ''}`, { id, more: {} });
    return exitCodes.ok;
  };

type Words = NonNullable<Removal<never>['words']>;

const deleting: Words = { verb: 'delete', past: 'deleted', doing: 'Deleting' };
const wordsOf = ({ words = deleting }: { readonly words?: Words }): Words => words;

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** @throws GovctlError approval_required */
async function confirmRemoval(
  context: Context,
  { what, where }: Asked,
  removal: { readonly words?: Words },
  options: ApprovalOptions,
): Promise<void> {
  const { verb, past } = wordsOf(removal);
  const from = where === undefined ? '' : ` from ${where}`;
  const question = `${capital(verb)} ${what}${from} permanently?`;
  await confirmChange(context, { what, verb, past }, question, options);
}

const showRemoved = (
  context: Context,
  removal: { readonly words?: Words },
  who: string,
  { id, more }: { readonly id: string; readonly more: Readonly<Record<string, unknown>> },
): Promise<void> => {
  const { past } = wordsOf(removal);
  return context.show({
    value: { [past]: id, ...more },
    human: (style) => `${style.green(capital(past))} ${who}\n`,
  });
};
