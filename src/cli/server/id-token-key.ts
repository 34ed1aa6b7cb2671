import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { formatDetails } from '../terminal/details.ts';

export interface RotateIdTokenKeyOptions {
  readonly dropOld?: boolean;
}

export async function rotateIdTokenKey(
  context: Context,
  { dropOld = false }: RotateIdTokenKeyOptions,
): Promise<ExitCode> {
  const { data } = await withOurServer(
    context,
    'keys for ID tokens',
    'Publishing a new key',
    (client) => client.idTokenKeys.rotate({ body: { drop_old: dropOld } }),
  );
  await context.show({
    value: data,
    human: (style) =>
      formatDetails(
        `Published ${data.id}`,
        [
          ['created', utcMinute(data.created_at)],
          ['signs from', utcMinute(data.signs_from)],
        ],
        style,
      ),
  });
  await context.say(
    dropOld
      ? 'The old keys are withdrawn: ID tokens signed with them are no longer valid.'
      : 'The old key signs ID tokens until the new key is used, and stays published until the last ID token signed with it has expired.',
  );
  return exitCodes.ok;
}
