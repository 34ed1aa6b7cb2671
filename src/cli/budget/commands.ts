import { Option } from 'commander';
import { budgetMetrics, budgetPeriods, budgetSortFields } from '../../contract/budgets.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues } from '../flags/list-flags.ts';
import { ifMatch, nounCommands } from '../objects/commands.ts';

const which = 'ID, name or key in git';

export function registerBudgetCommands(program: GovctlCommand, act: Act): void {
  const budget = program
    .command('budget')
    .description('manage spending limits per month, quarter or year');
  const its = nounCommands(budget, act, {
    argument: '<budget>',
    which,
    noun: () => import('./budgets.ts').then((m) => m.budgets),
  });
  its
    .list('list budgets and their spending in the current period', {
      fields: budgetSortFields,
      by: 'name',
    })
    .alsoFormats(['csv'])
    .option('--owner <name>', 'filter by owner (repeatable)', collectValues)
    .addOption(new Option('--period <period>', 'filter by period').choices([...budgetPeriods]))
    .option('--tag <tag>', 'filter by tag (repeatable; all must match)', collectValues);
  its.get('show a budget, its spending, forecast and thresholds');
  fieldFlags(
    budget
      .command('create')
      .description('create a budget that emits budget.threshold.exceeded events')
      .requiredOption('--name <name>', 'unique name of the budget')
      .requiredOption('--amount <amount>', 'amount per period, such as 10000 or 99.50')
      .requiredOption('--currency <code>', 'currency of the counted charges, such as USD'),
    true,
  )
    .addHelpText('after', createHelp)
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
  fieldFlags(
    budget
      .command('update')
      .description('update a budget')
      .argument('<budget>', which)
      .option('--name <name>', 'new name')
      .option('--amount <amount>', 'new amount per period')
      .option('--currency <code>', 'new currency'),
    false,
  )
    .optionsGroup('Remove:')
    .option('--no-filter', 'remove all filters, to count all charges')
    .option('--no-threshold', 'remove all thresholds')
    .optionsGroup('Options:')
    .addOption(ifMatch())
    .action(act(() => import('./update.ts').then((m) => m.runUpdate)));
  its.delete('delete a budget').addOption(ifMatch());
}

/** @param isNew what is not given has a default; in a change it stays as it is */
function fieldFlags(command: GovctlCommand, isNew: boolean): GovctlCommand {
  const or = (text: string): string => (isNew ? ` (default: ${text})` : '');
  return command
    .addOption(
      new Option('--period <period>', `calendar period, UTC${or('month')}`).choices([
        ...budgetPeriods,
      ]),
    )
    .addOption(
      new Option('--metric <metric>', `cost metric${or('billed')}`).choices([...budgetMetrics]),
    )
    .option(
      '--filter <field=value>',
      `count only charges with this field value (repeatable), such as provider=aws or tag:team=web${isNew ? '' : '; replaces all filters'}`,
      collectValues,
    )
    .option(
      '--threshold <percent>',
      `percentage of the amount, such as 80, or forecast:100 (repeatable)${isNew ? '; default: 80, 100, forecast:100' : '; replaces all thresholds'}`,
      collectValues,
    )
    .option('--owner <name>', 'person or team responsible for the budget')
    .option('--description <text>', 'description of the budget')
    .option('--tag <tag>', `tag (repeatable)${isNew ? '' : '; replaces all tags'}`, collectValues);
}

const createHelp = `
Fields for --filter: provider, account, service, service_category, region,
environment, owner, and tag:KEY. Values of one field are alternatives.

Examples:
  $ govctl budget create --name Platform --amount 10000 --currency USD
  $ govctl budget create --name Web --amount 500 --currency EUR \\
      --period quarter --filter provider=aws --filter tag:team=web \\
      --threshold forecast:100`;
