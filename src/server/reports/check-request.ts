import type { ErrorDetail } from '../../contract/errors.ts';
import type { ReportInput } from '../../contract/reports.ts';

interface Timing {
  readonly scope: { readonly date_range?: { readonly start: string; readonly end: string } };
  readonly delivery?: ReportInput['delivery'];
}

/**
 * What the schema can't see is wrong with the times of a request.
 * @param now milliseconds since the epoch
 */
export const timeFaults = ({ scope, delivery }: Timing, now: number): readonly ErrorDetail[] => [
  ...rangeFaults(scope.date_range, now),
  ...deliveryFaults(delivery, now),
];

function rangeFaults(range: Timing['scope']['date_range'], now: number): ErrorDetail[] {
  if (!range) return [];
  const [start, end] = [range.start, range.end].map((at) => Date.parse(at)) as [number, number];
  const faults: ErrorDetail[] = [];
  if (start > now) {
    faults.push({ field: 'scope.date_range.start', message: 'must not be in the future' });
  }
  if (end <= start) {
    faults.push({ field: 'scope.date_range.end', message: 'must be after start' });
  }
  return faults;
}

function deliveryFaults(delivery: ReportInput['delivery'], now: number): ErrorDetail[] {
  const { immediate, scheduled_at: at } = delivery ?? {};
  const faults: ErrorDetail[] = [];
  if (at !== undefined && Date.parse(at) <= now) {
    faults.push({ field: 'delivery.scheduled_at', message: 'must be in the future' });
  }
  if (immediate === true && at !== undefined) {
    faults.push({
      field: 'delivery.immediate',
      message: 'must not be true with scheduled_at',
    });
  }
  return faults;
}
