import * as z from 'zod';
import { key, name, text } from './policy.ts';

const calendarDate = z
  .string()
  .refine(isCalendarDate, { message: 'must be a date such as 2026-12-31' });

/** A waiver: findings of one policy on some resources count as EXEMPT up to and including `expires` (UTC). */
export const ExemptionDocument = z.strictObject({
  kind: z.literal('Exemption'),
  key,
  name: name.optional(),
  /** The policy's name or key. */
  policy: text,
  /** Exact ids, or globs with `*`. */
  resources: z.array(text).min(1),
  reason: text,
  owner: text,
  expires: calendarDate,
  category: z.enum(['waiver', 'mitigated']).optional(),
});

function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
