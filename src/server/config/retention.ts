import * as z from 'zod';
import { parseDuration } from '../../contract/duration.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
/** As long as the longest, so that nothing goes early. */
const month = 31 * day;

/** How long each kind of record is kept, in milliseconds, where the file of `--config` says nothing else. */
export const defaultRetention = {
  events: 30 * day,
  deliveries: 30 * day,
  violations: 400 * day,
  scans: 400 * day,
  reports: 365 * day,
  audit_log: 400 * day,
  attribute_history: 400 * day,
  remediations: 400 * day,
  evidence: 400 * day,
  cost: 36 * month,
  metrics: 90 * day,
};
export type RetentionKey = keyof typeof defaultRetention;
export type Retention = Readonly<Record<RetentionKey, number>>;

export const retentionOf = ({
  retention: { uses: _, ...retention } = {},
}: {
  readonly retention?: Partial<Retention> & { readonly uses?: number };
}): Retention => ({
  ...defaultRetention,
  ...retention,
});

const longest = 36_500 * day;

/** @returns milliseconds; undefined: it is no duration, or not one that something can be kept for */
function readKept(text: string): number | undefined {
  const [, months] = /^(\d{1,4})mo$/.exec(text) ?? [];
  const ms = months === undefined ? parseDuration(text) : Number(months) * month;
  return ms !== undefined && ms >= minute && ms <= longest ? ms : undefined;
}

const Kept = z
  .union([z.string(), z.number()])
  .transform((given) => (typeof given === 'string' ? readKept(given) : undefined) ?? 0)
  .refine((ms) => ms > 0, 'must be a duration from 1m to 36500d, such as 90d, 36mo or 30m');

/** Their files are of whole days. */
const mostDays = 400;
const Days = z.union([
  z.int().min(1).max(mostDays),
  Kept.transform((ms) => Math.ceil(ms / day)).pipe(z.int().max(mostDays)),
]);

export const RetentionFields = z.strictObject({
  events: Kept.optional(),
  deliveries: Kept.optional(),
  violations: Kept.optional(),
  scans: Kept.optional(),
  reports: Kept.optional(),
  audit_log: Kept.optional(),
  attribute_history: Kept.optional(),
  remediations: Kept.optional(),
  evidence: Kept.optional(),
  cost: Kept.optional(),
  metrics: Kept.optional(),
  uses: Days.optional(),
} satisfies Record<RetentionKey | 'uses', z.ZodType>);
