import { Option } from 'commander';
import type { GovctlCommand } from './govctl-command.ts';

export const collectValues = (value: string, previous: string[] | undefined): string[] => [
  ...(previous ?? []),
  value,
];

/** What every list takes. */
export interface ListFlags {
  readonly limit: string;
  readonly all?: boolean;
  readonly sort: string;
  readonly order: 'asc' | 'desc';
}

export const listFlags = (
  command: GovctlCommand,
  sortFields: readonly string[],
  sortBy: string,
  order: ListFlags['order'] = 'asc',
): GovctlCommand =>
  command
    .addOption(
      new Option('--limit <n>', 'maximum number of results').default('100').helpGroup(listGroup),
    )
    .addOption(new Option('--all', 'list all results').helpGroup(listGroup))
    .addOption(
      new Option('--sort <field>', 'sort field')
        .choices([...sortFields])
        .default(sortBy)
        .helpGroup(listGroup),
    )
    .addOption(
      new Option('--order <order>', 'sort order')
        .choices(['asc', 'desc'])
        .default(order)
        .helpGroup(listGroup),
    );

const listGroup = 'Sorting and limit:';

/** Values of a flag as a list's filter takes them. */
export const joined = <Name extends string>(name: Name, values: readonly string[] | undefined) =>
  // One field at most, whose name is the one given.
  (values ? { [name]: values.join(',') } : {}) as { readonly [N in Name]?: string };
