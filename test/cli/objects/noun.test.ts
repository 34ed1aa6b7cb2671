import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createClient } from '../../../src/client/client.ts';
import { createContext } from '../../../src/cli/context.ts';
import { deleteNoun } from '../../../src/cli/objects/delete.ts';
import { listNoun } from '../../../src/cli/objects/list.ts';
import type { DescribedNoun, OwnNoun } from '../../../src/cli/objects/noun.ts';
import type { FakeWorldSettings } from '../../support/fake-world.ts';
import { createFakeWorld } from '../../support/fake-world.ts';

interface Boat {
  readonly id: string;
  readonly name: string;
  readonly colour?: string;
}

const fleet: readonly Boat[] = [
  { id: 'boat_1', name: 'Anna', colour: 'red' },
  { id: 'boat_2', name: 'Carl' },
  { id: 'boat_3', name: 'Bert', colour: 'blue' },
  { id: 'boat_4', name: 'Dora', colour: 'red' },
];

const view = (boat: Boat) => ({ value: { ...boat }, human: () => boat.name });
const columns = () => [{ title: 'NAME', cell: ({ name }: Boat) => name }];

/** Its list takes an order by name and one colour, and no more. */
const boats: DescribedNoun<Boat, { readonly colour?: string; readonly name?: string }> = {
  of: {
    path: '/v1/boats',
    one: 'boat',
    many: 'boats',
    item: z.looseObject({ id: z.string(), name: z.string() }) as unknown as z.ZodType<Boat>,
    paged: 'unordered',
  },
  names: {
    prefix: 'boat_',
    knownBy: 'id or name',
    nameOf: ({ name }) => name,
    suggested: ({ name }) => [name],
    notFound: 'not_found',
  },
  list: {
    columns,
    filter: ({ colour, name }) => ({ colour, name }),
    serverSorts: ['name'],
    serverFilters: ['colour'],
  },
  view,
};

/** Our server's own, under another name in the API. */
const ferries: OwnNoun<Boat> = {
  one: 'ferry',
  many: 'ferries',
  listName: 'old_ferries',
  feature: 'ferries',
  api: () => ({
    list: () => Promise.resolve({ data: { old_ferries: fleet }, characters: 0 }),
    delete: ({ params }) => Promise.resolve(deleted.push(params.id)),
  }),
  list: { columns },
  view,
  removal: { words: { verb: 'revoke', past: 'revoked', doing: 'Revoking access' } },
};
const deleted: string[] = [];

let asked: string[];
beforeEach(() => {
  asked = [];
  deleted.length = 0;
});

function given(settings: FakeWorldSettings = {}) {
  const world = createFakeWorld(settings);
  const client = createClient({
    baseUrl: 'http://service.test',
    fetch: (url) => {
      const { search, searchParams } = new URL(url);
      asked.push(search);
      const colour = searchParams.get('colour');
      const found = fleet.filter((boat) => colour === null || boat.colour === colour);
      return Promise.resolve(new Response(JSON.stringify({ boats: found })));
    },
    token: () => Promise.resolve('any'),
  });
  const context = createContext({
    world,
    flags: {
      output: [{ format: 'json' }],
      trustRepoUrl: false,
      allowOutside: false,
      quiet: false,
      verbose: false,
      input: settings.tty ?? false,
      colour: false,
    },
    version: '1',
    run: () => Promise.reject(new Error('nothing else is run')),
    connect: () => Promise.resolve(client),
  });
  return { world, context };
}

const flags = { limit: '100', sort: 'name', order: 'asc' } as const;

async function listed(more: object): Promise<readonly string[]> {
  const { world, context } = given();
  await listNoun(boats)(context, { ...flags, ...more });
  return (JSON.parse(world.written.stdout) as { boats: Boat[] }).boats.map(({ name }) => name);
}

describe('the list of a noun', () => {
  it('asks the service for what the description promises', async () => {
    expect(await listed({ colour: 'red' })).toEqual(['Anna', 'Dora']);
    expect(asked[0]).toMatch(/^\?sort_by=name&order=asc&colour=red&limit=100&offset=0$/);
  });

  it('sorts and filters by the rest over all rows, and keeps asking for what is promised', async () => {
    expect(await listed({ colour: 'red', name: 'Dora,Bert' })).toEqual(['Dora']);
    expect(asked[0]).toMatch(/^\?colour=red&limit=100&offset=0$/);
    // Absent values come last, ties by id, in either order.
    expect(await listed({ sort: 'colour' })).toEqual(['Bert', 'Anna', 'Dora', 'Carl']);
    expect(await listed({ sort: 'colour', order: 'desc' })).toEqual([
      'Anna',
      'Dora',
      'Bert',
      'Carl',
    ]);
    expect(await listed({ sort: 'id', order: 'desc', limit: '2' })).toEqual(['Dora', 'Bert']);
  });

  it('is named in JSON as the API names it', async () => {
    const { world, context } = given();
    await listNoun(ferries)(context, flags);
    expect(JSON.parse(world.written.stdout)).toMatchObject({ old_ferries: fleet });
  });
});

describe('what removes an object of a noun', () => {
  it('asks in its own words', async () => {
    const nobody = given();
    await expect(deleteNoun(ferries)(nobody.context, { args: ['ferry_1'] })).rejects.toMatchObject({
      message: 'ferry ferry_1 was not revoked: prompts are disabled',
      hint: 'To revoke without a prompt, pass --yes.',
    });
    expect(deleted).toEqual([]);
    const { world, context } = given({ tty: true, answers: [true] });
    await deleteNoun(ferries)(context, { args: ['ferry_1'] });
    expect(world.asked).toEqual(['Revoke ferry ferry_1 permanently?']);
    expect(JSON.parse(world.written.stdout)).toMatchObject({ revoked: 'ferry_1' });
    expect(deleted).toEqual(['ferry_1']);
  });
});
