import { Option } from 'commander';
import {
  exemptionCategories,
  exemptionSortFields,
  exemptionStatuses,
} from '../../contract/exemptions.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues, listFlags } from '../flags/list-flags.ts';
import type { Act } from '../act.ts';

export function registerExemptionCommands(program: GovctlCommand, act: Act): void {
  const exemption = program
    .command('exemption')
    .description('agreed exceptions: resources that may fail a policy until a date');
  exemption
    .command('create')
    .description('exempt resources from a policy')
    .requiredOption('--policy <policy>', 'its id, its name or its key in git')
    .requiredOption('--resource <id>', 'an id, or a glob with *; repeatable', collectValues)
    .requiredOption('--reason <text>', 'why')
    .requiredOption('--owner <name>', 'who answers for it')
    .requiredOption('--expires <date>', 'the last day it counts, UTC, such as 2026-12-31')
    .addOption(new Option('--category <category>').choices([...exemptionCategories]))
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
  listFlags(
    exemption.command('list').description('list exemptions, the next to end first'),
    exemptionSortFields,
    'expires',
  )
    .option('--policy <policy>', 'only those that name the policy so')
    .option('--owner <name>', 'repeatable', collectValues)
    .addOption(new Option('--status <status>', 'only these').choices([...exemptionStatuses]))
    .action(act(() => import('./list.ts').then((m) => m.runList)));
  exemption
    .command('get')
    .description('show one exemption')
    .argument('<id>')
    .action(act(() => import('./get.ts').then((m) => m.runGet)));
  exemption
    .command('delete')
    .description('end an exemption; what it covered is open again')
    .argument('<id>')
    .option('-y, --yes', 'do not ask')
    .option('--auto-approve', 'the same')
    .action(act(() => import('./delete.ts').then((m) => m.runDelete)));
}
