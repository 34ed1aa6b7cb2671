import type { AnomalyStatus, CostAnomalyUpdate } from '../../../contract/cost-anomalies.ts';
import { defined } from '../../../contract/defined.ts';
import type { ExitCode } from '../../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import { shownIn } from '../../objects/noun.ts';
import { withOurServer } from '../../objects/our-server.ts';
import { anomalies } from './anomalies.ts';

interface FeedbackOptions {
  readonly args: readonly [string];
  readonly expected?: boolean;
  readonly unexpected?: boolean;
  readonly status?: AnomalyStatus;
  readonly note?: string;
}

export async function runFeedback(context: Context, options: FeedbackOptions): Promise<ExitCode> {
  const {
    args: [id],
    expected = false,
    unexpected = false,
    status,
    note,
  } = options;
  if (expected && unexpected) {
    throw new GovctlError('usage_error', 'Use either --expected or --unexpected');
  }
  const feedback = expected
    ? ('expected' as const)
    : unexpected
      ? ('unexpected' as const)
      : undefined;
  const body: CostAnomalyUpdate = defined({ feedback, status, note });
  if (Object.keys(body).length === 0) {
    throw new GovctlError('usage_error', 'No feedback specified', {
      hint: 'Pass --expected, --unexpected, --status or --note.',
    });
  }
  const { data } = await withOurServer(context, 'cost anomalies', 'Sending feedback', (client) =>
    client.costAnomalies.update({ params: { id }, body }),
  );
  await context.show(await anomalies.view(data, shownIn(context)));
  return exitCodes.ok;
}
