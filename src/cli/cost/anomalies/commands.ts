import { Option } from 'commander';
import { anomalySeverities, anomalySortFields, anomalyStatuses } from '../../../contract/cost-anomalies.ts'; // prettier-ignore
import type { Act } from '../../act.ts';
import type { GovctlCommand } from '../../flags/govctl-command.ts';
import { collectValues, listFlags } from '../../flags/list-flags.ts';
import { nounCommands } from '../../objects/commands.ts';

export function registerAnomalyCommands(cost: GovctlCommand, act: Act): void {
  const anomalies = cost
    .command('anomalies')
    .summary('list unexpected cost increases')
    .description(
      'List cost anomalies, newest first: periods in which a service of an account cost more than expected from the previous days.',
    )
    .withOwnAction()
    .option(
      '--status <status>',
      `filter by status: ${anomalyStatuses.join(', ')} (repeatable)`,
      collectValues,
    ) // prettier-ignore
    .option(
      '--severity <severity>',
      `filter by severity: ${anomalySeverities.join(', ')} (repeatable)`,
      collectValues,
    ) // prettier-ignore
    .option('--provider <provider>', 'filter by provider (repeatable)', collectValues)
    .option('--account <id>', 'filter by account (repeatable)', collectValues)
    .option('--service <name>', 'filter by service (repeatable)', collectValues)
    .option('--since <day>', 'only anomalies that end on this day or later, such as 2026-01-31');
  listFlags(anomalies, anomalySortFields, 'start', 'desc')
    .alsoFormats(['csv'])
    .addHelpText('after', help)
    .action(
      act(async () => {
        const [{ listNoun }, noun] = await Promise.all([
          import('../../objects/list.ts'),
          import('./anomalies.ts'),
        ]);
        return listNoun(noun.anomalies);
      }),
    );
  const its = nounCommands(anomalies, act, {
    argument: '<anomaly>',
    which: 'ID',
    noun: () => import('./anomalies.ts').then((m) => m.anomalies),
  });
  its.get('show a cost anomaly and its root causes');
  anomalies
    .command('feedback')
    .summary('record whether a cost anomaly was expected')
    .description(
      'Record whether a cost anomaly was expected. An expected anomaly is resolved, and for a year, anomalies of its group are reported only if they rise further above the expected cost.',
    )
    .argument('<anomaly>', 'anomaly ID')
    .option('--expected', 'mark the anomaly as expected and resolve it')
    .option('--unexpected', 'mark the anomaly as unexpected and acknowledge it')
    .addOption(new Option('--status <status>', 'status to set').choices([...anomalyStatuses]))
    .option('--note <text>', 'note')
    .action(act(() => import('./feedback.ts').then((m) => m.runFeedback)));
}

const help = `
Exit codes: 0 regardless of the results.

Examples:
  $ govctl cost anomalies --status open
  $ govctl cost anomalies get anm_01k8
  $ govctl cost anomalies feedback anm_01k8 --expected --note "Load test"`;
