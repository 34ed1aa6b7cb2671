import { Option } from 'commander';
import { defined } from '../../contract/defined.ts';
import {
  exemptionCategories,
  exemptionSortFields,
  exemptionStatuses,
} from '../../contract/exemptions.ts';
import type { AnsweredExemption } from '../../contract/exemptions.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues } from '../flags/list-flags.ts';
import type { Changes } from '../objects/change.ts';
import { nounCommands } from '../objects/commands.ts';
import type { OwnNoun } from '../objects/noun.ts';
import { exemptionView } from './exemption-view.ts';

interface ListOptions {
  readonly policy?: string;
  readonly owner?: readonly string[];
  readonly status?: string;
  readonly tag?: readonly string[];
}

interface UpdateOptions {
  readonly policy?: string;
  readonly resource?: readonly string[];
  readonly reason?: string;
  readonly owner?: string;
  readonly expires?: string;
  /** False: remove it. */
  readonly category?: string | false;
  readonly tag?: readonly string[];
}

const exemptions: OwnNoun<AnsweredExemption, ListOptions> = {
  one: 'exemption',
  many: 'exemptions',
  feature: 'exemptions',
  kept: { nameOf: ({ id }) => id, tagsOf: ({ tags }) => tags },
  api: (client) => client.exemptions,
  list: {
    filter: ({ policy, owner, status, tag }) => ({
      policy,
      owner: owner?.join(','),
      status,
      tags: tag?.join(','),
    }),
    columns: () => [
      { title: 'POLICY', cell: ({ policy }) => policy, shrinks: 'end', least: 9 },
      {
        title: 'RESOURCES',
        cell: (row) => row.resources.join(', '),
        shrinks: 'middle',
        least: 9,
        drops: 2,
      },
      { title: 'EXPIRES', cell: ({ expires }) => expires },
      {
        title: 'STATUS',
        cell: ({ status }) => status,
        paint: (text, { status }, style) => (status === 'expired' ? style.dim(text) : text),
      },
      { title: 'OWNER', cell: ({ owner }) => owner, drops: 1 },
      { title: 'ID', cell: ({ id }) => id },
    ],
  },
  view: exemptionView,
};

const changes: Changes<UpdateOptions> = {
  fieldsOf: ({ policy, resource, reason, owner, expires, category, tag }) =>
    defined({
      policy,
      resources: resource,
      reason,
      owner,
      expires,
      category: category === false ? null : category,
      tags: tag && [...tag],
    }),
  hint: 'Pass at least one field, such as --expires 2026-12-31.',
  warn: async ({ resource }, context) => {
    if (resource === undefined) return;
    await (await import('./unmatched.ts')).warnOfUnmatched(context, resource);
  },
};

export function registerExemptionCommands(program: GovctlCommand, act: Act): void {
  const exemption = program
    .command('exemption')
    .description('manage exemptions of resources from policies');
  exemption
    .command('create')
    .description('exempt resources from a policy')
    .requiredOption('--policy <policy>', 'policy ID, name or key')
    .requiredOption('--resource <id>', 'resource ID or glob with * (repeatable)', collectValues)
    .requiredOption('--reason <text>', 'reason for the exemption')
    .requiredOption('--owner <name>', 'responsible person or team')
    .requiredOption('--expires <date>', 'last day, inclusive (UTC), such as 2026-12-31')
    .addOption(
      new Option('--category <category>', 'category of the exemption').choices([
        ...exemptionCategories,
      ]),
    )
    .option('--tag <tag>', 'tag (repeatable)', collectValues)
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
  const its = nounCommands(exemption, act, { argument: '<id>', noun: exemptions });
  its
    .list('list exemptions, soonest to expire first', {
      fields: exemptionSortFields,
      by: 'expires',
    })
    .option('--policy <policy>', 'filter by policy, as named in the exemption')
    .option('--owner <name>', 'filter by owner (repeatable)', collectValues)
    .addOption(new Option('--status <status>', 'filter by status').choices([...exemptionStatuses]))
    .option('--tag <tag>', 'filter by tag (repeatable; all must match)', collectValues);
  its.get('show an exemption');
  its.update('update an exemption and its violations', changes, (update) =>
    update
      .option('--policy <policy>', 'policy ID, name or key')
      .option(
        '--resource <id>',
        'resource ID or glob with * (repeatable); replaces all resources',
        collectValues,
      )
      .option('--reason <text>', 'new reason')
      .option('--owner <name>', 'new owner')
      .option('--expires <date>', 'last day, inclusive (UTC), such as 2026-12-31')
      .addOption(
        new Option('--category <category>', 'new category').choices([...exemptionCategories]),
      )
      .option('--no-category', 'remove the category')
      .option('--tag <tag>', 'tag (repeatable); replaces all tags', collectValues),
  );
  its.delete('end an exemption; its violations reopen');
}
