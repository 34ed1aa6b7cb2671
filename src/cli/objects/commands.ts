import { Option } from 'commander';
import type { Act } from '../act.ts';
import type { Run } from '../context.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { listFlags } from '../flags/list-flags.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import type { Changes } from './change.ts';
import type { Noun, WithId } from './noun.ts';

/** How a noun's commands are typed. */
interface Typed<Item extends WithId, Flags> {
  /** What a command names its object by: `<policy>`. */
  readonly argument: string;
  /** What that may be: `its id, its name or its key in git`. */
  readonly which?: string;
  /** What the noun is; imported where that costs something, as the commands of all nouns are there at each start. */
  readonly noun: Noun<Item, Flags> | (() => Promise<Noun<Item, Flags>>);
}

interface ListWords {
  readonly fields: readonly string[];
  readonly by: string;
  readonly order?: ListFlags['order'];
  /** Adds flags that stand before those of every list. */
  readonly first?: (list: GovctlCommand) => GovctlCommand;
}

const same = (list: GovctlCommand): GovctlCommand => list;

/** The commands that every noun has, to be declared among its own ones in the order of its help. */
export function nounCommands<Item extends WithId, Flags>(
  parent: GovctlCommand,
  act: Act,
  { argument, which, noun }: Typed<Item, Flags>,
) {
  type Its = Noun<Item, Flags>;
  const its = (): Promise<Its> => (typeof noun === 'function' ? noun() : Promise.resolve(noun));
  const about = (name: string, description: string): GovctlCommand =>
    parent.command(name).description(description).argument(argument, which);
  /** The verb and the noun are loaded together. */
  const verb = <Options>(load: () => Promise<(noun: Its) => Run<Options>>) =>
    act(async () => {
      const [run, loaded] = await Promise.all([load(), its()]);
      return run(loaded);
    });
  return {
    list: (description: string, { fields, by, order, first = same }: ListWords): GovctlCommand =>
      listFlags(first(parent.command('list').description(description)), fields, by, order).action(
        verb(async () => (await import('./list.ts')).listNoun<Item, Flags>),
      ),
    get: (description: string): GovctlCommand =>
      about('get', description).action(verb(async () => (await import('./get.ts')).getNoun<Item>)),
    update: <Fields>(
      description: string,
      changes: Changes<Fields>,
      flags: (update: GovctlCommand) => GovctlCommand,
    ): GovctlCommand =>
      flags(about('update', description))
        .addOption(ifMatch())
        .action(verb(async () => (await import('./change.ts')).updateNoun<Item, Fields>(changes))),
    delete: (description: string, name = 'delete'): GovctlCommand =>
      about(name, description)
        .option('-y, --yes', 'do not ask')
        .option('--auto-approve', 'the same')
        .action(verb(async () => (await import('./delete.ts')).deleteNoun<Item>)),
    switch: (name: string, on: boolean, description: string): GovctlCommand =>
      about(name, description).action(
        verb(async () => (await import('./change.ts')).switchNoun<Item>(on)),
      ),
  };
}

/** Of what changes or removes an object. */
export const ifMatch = (): Option =>
  new Option('--if-match <etag>', 'only if it still is as this ETag says');
