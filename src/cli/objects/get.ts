import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Client } from '../../client/client.ts';
import type { Context, Run } from '../context.ts';
import type { Findable, Found } from './find.ts';
import { findObject } from './find.ts';
import type { Noun, WithId } from './noun.ts';
import { apiOf, wordFor } from './noun.ts';
import type { Extension } from './our-server.ts';
import { withServer } from './our-server.ts';
import { shownBy } from './shown-by.ts';

export interface OneOf {
  readonly args: readonly [string];
}

/** `get` of a noun. */
export const getNoun =
  <Item extends WithId>(noun: Noun<Item, never>): Run<OneOf> =>
  async (context, { args: [named] }): Promise<ExitCode> => {
    const item = await withServer(context, noun, `Loading ${wordFor(noun)}`, async (client) =>
      'of' in noun
        ? (await findObject(context, client, noun, named)).item
        : (await apiOf(noun, client, 'get')({ params: { id: named } })).data,
    );
    await context.show(await noun.view(item, await shownBy(context, item, { named })));
    return noun.isUnderway?.(item) ? exitCodes.pending : exitCodes.ok;
  };

/** Finds the object of a command; also returns the client for further requests. */
export async function lookUp<Item extends WithId>(
  context: Context,
  noun: Findable<Item> & Extension,
  named: string,
): Promise<Found<Item> & { readonly client: Client }> {
  const client = await context.client();
  const found = await withServer(context, noun, `Loading ${noun.of.one}`, () =>
    findObject(context, client, noun, named),
  );
  return { ...found, client };
}
