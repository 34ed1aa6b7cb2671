import { predictionMethods } from '../../contract/predictions.ts';
import type { Section } from '../model.ts';
import { below, column, figures, isoCell, paragraph, table } from './blocks.ts';
import type { ColumnOf } from './blocks.ts';
import type { Facts, PredictionFact } from './facts.ts';
import { asLabel, count, listed, moment, number } from './wording.ts';

/** Days that are looked ahead. */
export const predictedWithin = 30;
/** Rows without the detailed findings. */
const mostBrief = 25;

const columns: readonly ColumnOf<PredictionFact>[] = [
  column('at', 'Fails from', 'timestamp', 2, ({ at }) => isoCell(at)),
  column('severity', 'Severity', 'severity', 1, ({ severity }) => severity),
  column('policy', 'Policy', 'text', 2, ({ policy }) => policy),
  column('resource', 'Resource', 'id', 2, ({ resource }) => resource),
  column('method', 'Method', 'status', 1, ({ method }) => method),
  column('confidence', 'Confidence', 'percent', 1, ({ confidence }) => Math.round(confidence * 1_000) / 10), // prettier-ignore
  below(column('advice', 'Recommendation', 'text', 4, ({ advice }) => advice)),
  below(column('resource_type', 'Resource type', 'text', 2, ({ resource_type: type }) => type)),
  below(column('environment', 'Environment', 'text', 1, ({ environment }) => environment ?? null)),
  below(column('provider', 'Provider', 'text', 1, ({ provider }) => provider)),
  below(column('account_id', 'Account', 'text', 1, ({ account_id: account }) => account ?? null)),
  below(column('id', 'Prediction', 'id', 2, ({ id }) => id)),
];

/** What is expected to fail soon, although nobody changes it. */
export function aboutToFailSection({ predictions, order, scope }: Facts): Section {
  const { alerts = [], isCut = false, on = [] } = predictions ?? {};
  const off = predictionMethods.filter((method) => !on.includes(method));
  const shown = order.include_detailed_findings ? alerts : alerts.slice(0, mostBrief);
  const from = moment(scope.at, order.scope.timezone);
  return {
    id: 'about_to_fail',
    title: 'About to fail',
    blocks: [
      ...(predictions
        ? [
            paragraph(
              `Resources that are predicted to fail within ${predictedWithin} days of ${from} even without a change. They have no risk points yet.`,
            ),
            figures(
              ...on.map((method) => ({
                label: asLabel(method),
                value: number(alerts.filter((one) => one.method === method).length),
              })),
            ),
          ]
        : [paragraph('Predictions start when the report is generated. The range of this report has ended, so it includes no predictions.')]), // prettier-ignore
      ...(predictions && off.length > 0
        ? [
            paragraph(
              `Disabled methods: ${listed(off.map((method) => method.replaceAll('_', ' ')))}.`,
            ),
          ]
        : []),
      ...(isCut
        ? [paragraph('There are more predictions; only the earliest are counted and listed.')]
        : []),
      ...(shown.length < alerts.length
        ? [paragraph(`The table lists the earliest ${mostBrief} of ${count(alerts.length, 'prediction')}.`)] // prettier-ignore
        : []),
      table(
        {
          id: 'predictions',
          title: 'Predicted violations',
          empty: 'No predictions.',
          paper: {
            by: ['policy', 'severity'],
            columns: ['resource', 'at', 'method', 'confidence'],
            once: ['advice', 'environment', 'resource_type'],
            most: 200,
            rank: ['severity'],
            chosen: 'the most severe, then the earliest',
            unit: ['prediction', 'predictions'],
          },
        },
        columns,
        shown,
      ),
    ],
  };
}
