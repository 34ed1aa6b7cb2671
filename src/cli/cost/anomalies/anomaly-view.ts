import type { CostAnomaly } from '../../../contract/cost-anomalies.ts';
import { showMoney } from '../../../contract/money.ts';
import { utcMinute } from '../../../contract/utc-time.ts';
import { formatDetails } from '../../terminal/details.ts';
import type { View } from '../../terminal/output.ts';
import { count } from '../../terminal/printable.ts';
import { sparkline } from '../../terminal/sparkline.ts';
import type { Glyphs } from '../../terminal/sparkline.ts';

export const subjectOf = ({ scope, service }: CostAnomaly): string =>
  scope === 'total' ? 'all cost' : service === '' || service === undefined ? '(none)' : service;

/** `+120%`; nothing was expected: `new`. */
export const percentOf = (percent: number | null): string =>
  percent === null ? 'new' : `+${Math.round(percent)}%`;

export const anomalyView = (
  anomaly: CostAnomaly,
  { room, glyphs }: { readonly room: number; readonly glyphs: Glyphs },
): View => ({
  value: anomaly,
  human(style) {
    const { currency, start, end, days, trend } = anomaly;
    const money = (amount: string): string => showMoney(amount, currency);
    return formatDetails(
      `${subjectOf(anomaly)}: +${money(anomaly.impact)} (${percentOf(anomaly.impact_percent)})`,
      [
        ['id', anomaly.id],
        ['severity', anomaly.severity.toUpperCase()],
        ['status', anomaly.status],
        ['because', anomaly.resolution],
        ['provider', anomaly.provider],
        ['account', anomaly.account_id],
        ['days', `${start === end ? start : `${start} to ${end}`} (${count(days, 'day')}${anomaly.ongoing ? ', ongoing' : ''})`], // prettier-ignore
        ['expected', money(anomaly.expected)],
        ['actual', money(anomaly.actual)],
        ['trend', `${sparkline(trend.costs.map(Number), { lowest: 0, glyphs })}  from ${trend.start}`], // prettier-ignore
        ...anomaly.root_causes.map(
          ({ field, key, change }) => ['cause', `${field} ${key}: +${money(change)}`] as const,
        ),
        ['feedback', anomaly.feedback],
        ['note', anomaly.note],
        [
          'feedback by',
          anomaly.feedback_by && `${anomaly.feedback_by}, ${utcMinute(anomaly.feedback_at) ?? ''}`,
        ],
        ['detected', utcMinute(anomaly.detected_at)],
      ],
      style,
      room,
    );
  },
});
