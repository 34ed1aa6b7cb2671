import { Option } from 'commander';
import type { Act } from '../act.ts';
import type { Run } from '../context.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { listFlags } from '../flags/list-flags.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import type { Changes } from './change.ts';
import type { Noun, WithId } from './noun.ts';

/** The argument and noun of a set of commands. */
interface CommandsOf<Item extends WithId, Flags> {
  /** The argument that names an object: `<policy>`. */
  readonly argument: string;
  /** Its help: `policy ID, name or key in git`; default: the ID. */
  readonly which?: string;
  /** The noun, or a function that imports it when the import is slow: commands are declared at every start. */
  readonly noun: Noun<Item, Flags> | (() => Promise<Noun<Item, Flags>>);
}

interface ListWords {
  readonly fields: readonly string[];
  readonly by: string;
  readonly order?: ListFlags['order'];
  /** Adds flags before the common ones. */
  readonly first?: (list: GovctlCommand) => GovctlCommand;
}

const same = (list: GovctlCommand): GovctlCommand => list;

/** The commands that every noun has. Each noun declares them among its own, in the order of its help. */
export function nounCommands<Item extends WithId, Flags>(
  parent: GovctlCommand,
  act: Act,
  { argument, which, noun }: CommandsOf<Item, Flags>,
) {
  type Its = Noun<Item, Flags>;
  const its = (): Promise<Its> => (typeof noun === 'function' ? noun() : Promise.resolve(noun));
  const about = (name: string, description: string): GovctlCommand =>
    parent
      .command(name)
      .description(description)
      .argument(argument, which ?? `${parent.name()} ID`);
  /** Loads the verb and the noun together. */
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
      approvalFlags(about(name, description)).action(
        verb(async () => (await import('./delete.ts')).deleteNoun<Item>),
      ),
    switch: (name: string, on: boolean, description: string): GovctlCommand =>
      (on ? about(name, description) : approvalFlags(about(name, description))).action(
        verb(async () => (await import('./change.ts')).switchNoun<Item>(on)),
      ),
  };
}

export const approvalFlags = (command: GovctlCommand): GovctlCommand =>
  command.option('-y, --yes', 'skip the prompt').option('--auto-approve', 'same as --yes');

/** For commands that change or remove an object. */
export const ifMatch = (): Option =>
  new Option('--if-match <etag>', 'make the change only if the ETag still matches');
