import { invalidBody } from '../http/invalid-body.ts';
import type { ErrorDetail } from '../../contract/errors.ts';
import type { GovctlError } from '../../contract/errors.ts';
import type { ScheduleInput } from '../../contract/schedules.ts';
import type { StoredChannel, Surroundings } from '../report-delivery/service.ts';
import { channelFault } from '../report-delivery/service.ts';
import { costFault, frameworkFault } from '../reports/service.ts';
import type { Reader } from '../store/store.ts';

/** What of a schedule takes more than its schema to check; absent: it stays as it is. */
export interface Checked {
  readonly framework: string | undefined;
  readonly channels: readonly StoredChannel[];
  readonly template: Pick<ScheduleInput['report_template'], 'type' | 'format_options'> | undefined;
}

/**
 * Before the transaction, as a name server may be asked.
 * @throws GovctlError invalid_schedule with an entry for each fault
 */
export async function checkSchedule(
  reader: Reader,
  surroundings: Surroundings,
  { framework, channels, template }: Checked,
): Promise<void> {
  const unknown = framework === undefined ? undefined : await frameworkFault(reader, framework);
  const found = await Promise.all(channels.map((one) => channelFault(one, surroundings)));
  const cost = template && costFault(template.type, template.format_options);
  const details: ErrorDetail[] = [
    ...(unknown === undefined ? [] : [{ field: 'report_template.framework', message: unknown }]),
    ...(cost === undefined
      ? []
      : [{ field: 'report_template.format_options.include_cost', message: cost }]),
    ...found.filter((fault) => fault !== undefined),
  ];
  if (details.length > 0) throw invalidSchedule(details);
}

/** @param details one at least */
export const invalidSchedule = (details: readonly ErrorDetail[]): GovctlError =>
  invalidBody('invalid_schedule', details);
