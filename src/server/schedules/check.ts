import { invalidBody } from '../http/invalid-body.ts';
import type { ErrorDetail } from '../../contract/errors.ts';
import type { GovctlError } from '../../contract/errors.ts';
import type { StoredChannel, Surroundings } from '../report-delivery/service.ts';
import { channelFault } from '../report-delivery/service.ts';
import { frameworkFault } from '../reports/service.ts';
import type { Reader } from '../store/store.ts';

/** What of a schedule takes more than its schema to check; absent: it stays as it is. */
export interface Checked {
  readonly framework: string | undefined;
  readonly channels: readonly StoredChannel[];
}

/**
 * Before the transaction, as a name server may be asked.
 * @throws GovctlError invalid_schedule with an entry for each fault
 */
export async function checkSchedule(
  reader: Reader,
  surroundings: Surroundings,
  { framework, channels }: Checked,
): Promise<void> {
  const unknown = framework === undefined ? undefined : await frameworkFault(reader, framework);
  const found = await Promise.all(channels.map((one) => channelFault(one, surroundings)));
  const details: ErrorDetail[] = [
    ...(unknown === undefined ? [] : [{ field: 'report_template.framework', message: unknown }]),
    ...found.filter((fault) => fault !== undefined),
  ];
  if (details.length > 0) throw invalidSchedule(details);
}

/** @param details one at least */
export const invalidSchedule = (details: readonly ErrorDetail[]): GovctlError =>
  invalidBody('invalid_schedule', details);
