import * as z from 'zod';

/** A text that says something. */
export const notBlank = (max: number) =>
  z.string().min(1, { abort: true }).max(max, { abort: true }).regex(/\S/, 'must not be blank');

/** A text for one line of a page, a subject or a header. */
export const oneLine = (max: number) =>
  z
    .string()
    .min(1, { abort: true })
    .max(max, { abort: true })
    .regex(/\S/, { error: 'must not be blank', abort: true })
    .regex(/^\P{Cc}*$/u, 'must not contain control characters');

/** Without parameters. */
export const MediaType = z
  .string()
  .max(128, { abort: true })
  .regex(/^[a-z0-9.+-]+\/[a-z0-9.+-]+$/i, 'must be a media type, such as application/pdf');
