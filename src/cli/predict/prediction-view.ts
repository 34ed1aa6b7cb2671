import type { ExplainedAlert, PredictiveAlert } from '../../contract/predictions.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';
import { count } from '../terminal/printable.ts';

export const predictionView = (prediction: PredictiveAlert | ExplainedAlert): View => ({
  value: prediction,
  human: (style) =>
    formatDetails(
      prediction.predicted_violation,
      [
        ['id', prediction.id],
        ['severity', prediction.severity.toUpperCase()],
        ['resource', prediction.resource],
        ['type', prediction.resource_type],
        ['account', prediction.account_id],
        ['environment', prediction.environment],
        ['policy', prediction.policy_id],
        ['fails from', `${utcMinute(prediction.at)} (in ${daysOf(prediction)})`],
        ['between', betweenOf(prediction)],
        ['method', methods[prediction.method]],
        ['because', becauseOf(prediction)],
        ['confidence', confidenceOf(prediction)],
        ['exemption', prediction.exemption_id],
        ['do', prediction.recommendation],
      ],
      style,
    ),
});

const daysOf = ({ days_until_violation: days }: PredictiveAlert): string =>
  days < 1 ? 'less than a day' : count(days, 'day');

const methods: Readonly<Record<PredictiveAlert['method'], string>> = {
  date_certain: 'date_certain: the policy compares a date with the current time',
  exemption_expiry: 'exemption_expiry: the exemption expires',
  trend: 'trend: a value approaches a limit',
  recurrence: 'recurrence: the resource failed more than once before',
};

const isExplained = (one: PredictiveAlert | ExplainedAlert): one is ExplainedAlert =>
  'comparisons' in one;

const becauseOf = (one: PredictiveAlert | ExplainedAlert): string | undefined =>
  isExplained(one) && one.comparisons.length > 0
    ? one.comparisons.map(({ text }) => text).join('; ')
    : one.because;

const betweenOf = ({ interval }: PredictiveAlert): string | undefined =>
  interval && `${interval[0]} and ${interval[1]} (80% interval)`;

function confidenceOf(one: PredictiveAlert | ExplainedAlert): string {
  const percent = `${Math.round(one.confidence * 100)}%`;
  if (one.method === 'trend') return `${percent}: probability within a year`;
  if (one.method === 'recurrence') return `${percent}: probability within 30 days`;
  if (!isExplained(one) || one.observations === 0) return percent;
  return `${percent}: such dates passed ${count(one.missed, 'time')} and were postponed ${count(one.renewed, 'time')}`;
}
