import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Run } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { warnOfPending } from '../objects/pending.ts';
import { controlsView } from './framework-view.ts';

interface ShowOptions {
  readonly args: [framework: string, control?: string];
  readonly account?: string;
  readonly status?: readonly string[];
  readonly all?: boolean;
}

export const runShow: Run<ShowOptions> = async (context, options) => {
  const { args, account, status, all = false } = options;
  const [id, control] = args;
  const query = defined({ account_id: account, control, status: status?.join(',') });
  const { data } = await withOurServer(context, 'frameworks', 'Loading framework', (client) =>
    client.frameworks.get({ params: { id }, query }),
  );
  await context.show(controlsView(data, { control, all }));
  await warnOfPending(context, data.pending);
  return exitCodes.ok satisfies ExitCode;
};
