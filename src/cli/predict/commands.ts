import { severities } from '../../contract/policies.ts';
import { predictionMethods, predictionSortFields } from '../../contract/predictions.ts';
import type { PredictiveAlert } from '../../contract/predictions.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues } from '../flags/list-flags.ts';
import { parseDays } from '../flags/parse-days.ts';
import { nounCommands } from '../objects/commands.ts';
import type { OwnNoun } from '../objects/noun.ts';
import { shortTime } from '../terminal/ages.ts';
import { paintSeverity } from '../terminal/severity.ts';
import { predictionView } from './prediction-view.ts';

interface ListOptions {
  readonly days?: string;
  readonly method?: readonly string[];
  readonly severity?: readonly string[];
  readonly minConfidence?: string;
  readonly policy?: readonly string[];
  readonly provider?: readonly string[];
  readonly account?: readonly string[];
  readonly environment?: readonly string[];
}

const predictions: OwnNoun<PredictiveAlert, ListOptions> = {
  one: 'prediction',
  many: 'predictions',
  listName: 'predictive_alerts',
  feature: 'predictions',
  api: (client) => client.predictions,
  list: {
    filter: ({ days, method, severity, minConfidence, ...where }) => ({
      horizon_days: days === undefined ? undefined : String(parseDays('--days', days)),
      method: method?.join(','),
      severity: severity?.join(',').toUpperCase(),
      min_confidence: minConfidence,
      cloud_providers: where.provider?.join(','),
      account_ids: where.account?.join(','),
      environments: where.environment?.join(','),
    }),
    furtherFilter: async ({ policy }, context, client) => {
      if (policy === undefined) return {};
      const [{ findIds }, { policies }] = await Promise.all([
        import('../objects/find.ts'),
        import('../policy/policies.ts'),
      ]);
      return { policy_id: (await findIds(context, client, policies, policy)).join(',') };
    },
    saysIfFiltered: true,
    answerNote: ({ methods }) => offNote(methods),
    columns: ({ now, room }) => [
      { title: 'WHEN', cell: ({ at }) => shortTime(now, room)(at) },
      {
        title: 'SEVERITY',
        cell: ({ severity }) => severity.toUpperCase(),
        paint: (text, { severity }, style) => paintSeverity(text, severity.toUpperCase(), style),
      },
      { title: 'RESOURCE', cell: ({ resource }) => resource, shrinks: 'middle', least: 9 },
      { title: 'POLICY', cell: (row) => row.predicted_violation, shrinks: 'end', drops: 2 },
      { title: 'SURE', cell: ({ confidence }) => `${Math.round(confidence * 100)}%` },
      { title: 'METHOD', cell: ({ method }) => method, drops: 1 },
      { title: 'ID', cell: ({ id }) => id },
    ],
  },
  view: predictionView,
};

/** Which methods are off, and why. */
function offNote(methods: unknown): string | undefined {
  const off = predictionMethods.filter(
    (one) => (methods as Readonly<Record<string, unknown>> | undefined)?.[one] === 'off',
  );
  if (off.length === 0) return undefined;
  const isGuess = off.every((one) => one === 'trend' || one === 'recurrence');
  const why = isGuess ? 'not better than the baselines on public histories' : "not in the server's prediction.methods"; // prettier-ignore
  return `Disabled methods: ${off.join(', ')} (${why}; see docs/prediction.md).`;
}

export function registerPredictCommands(program: GovctlCommand, act: Act): void {
  const predict = program
    .command('predict')
    .description('predict violations and measure the accuracy of predictions');
  const its = nounCommands(predict, act, {
    argument: '<id>',
    which: 'prediction ID',
    noun: predictions,
  });
  its
    .list('list predicted violations, soonest first', {
      fields: predictionSortFields,
      by: 'at',
    })
    .option('--days <n>', 'number of days to look ahead, at most 365 (default: 30)')
    .option(
      '--severity <severity>',
      `filter by severity: ${severities.join(', ')} (repeatable)`,
      collectValues,
    )
    .option(
      '--method <method>',
      `filter by method: ${predictionMethods.join(', ')} (repeatable)`,
      collectValues,
    )
    .option('--min-confidence <share>', 'minimum confidence, from 0 to 1')
    .option('--policy <policy>', 'filter by policy ID, name or key (repeatable)', collectValues)
    .option('--provider <provider>', 'filter by provider (repeatable)', collectValues)
    .option('--account <id>', 'filter by account (repeatable)', collectValues)
    .option('--environment <name>', 'filter by environment (repeatable)', collectValues);
  predict
    .command('explain')
    .description('show a predicted violation, its reason, and the outcome of earlier predictions')
    .argument('<id>', 'prediction ID')
    .action(act(() => import('./explain.ts').then((m) => m.runExplain)));
  predict
    .command('backtest')
    .summary('measure the accuracy of predictions on past data')
    .description(
      'Replay the stored verdicts, or those of a dataset, day by day: make predictions from the data known on each day, and compare them with the actual outcome. Each alert is counted once.',
    )
    .option('--since <time>', 'start of the predictions: a time, or a relative time such as 90d')
    .option('--horizon <days>', 'number of days that a prediction looks ahead (default: 30)')
    .option('--dataset <path>', 'NDJSON file of verdict histories, or a directory of such files')
    .addHelpText('after', backtestHelp)
    .action(act(() => import('./backtest.ts').then((m) => m.runBacktest)));
}

const backtestHelp = `
N is the number of series (pairs of a policy and a resource) for which a method
makes predictions. A skill score compares the Brier score of a method with that
of a baseline: 1 is perfect, 0 is no better, and below 0 is worse. Enable a
method only if it beats both baselines. See docs/prediction.md for results on
public data.

Exit codes: 0 replayed, regardless of the result; 3 invalid dataset.

Examples:
  $ govctl predict backtest
  $ govctl predict backtest --since 180d --horizon 14 -o json
  $ govctl predict backtest --dataset verdict-histories/`;
