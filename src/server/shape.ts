import * as z from 'zod';
import type { FileOf } from './module.ts';

/** The fields of a type that have names: rows of another version may have more. */
export type Named<T> = {
  [
    Field in keyof T as string extends Field ? never : number extends Field ? never : Field
  ]: T[Field];
};

type IsOptional<T, Field extends keyof T> =
  Partial<Pick<T, Field>> extends Pick<T, Field> ? true : false;

/** One schema per field of a row: a field that its type gains, loses or changes no longer compiles. */
type FieldsOf<T> = {
  readonly [Field in keyof Named<T>]-?: IsOptional<Named<T>, Field> extends true
    ? z.ZodOptional<z.ZodType<Exclude<Named<T>[Field], undefined>>>
    : z.ZodType<Named<T>[Field]>;
};

/** What a stored row must look like, so that no later work fails on it. Loose: other versions store further fields. */
export const shape = <T extends object>(fields: FieldsOf<T>): z.ZodType<T> =>
  // As JSON, a field that is undefined is absent.
  z.looseObject(fields) as unknown as z.ZodType<T>;

/** Shapes of which a field says which one it is. */
export const variants = <T extends object>(
  by: keyof T & string,
  shapes: readonly z.ZodType<T>[],
): z.ZodType<T> =>
  // `shape` only makes objects.
  z.discriminatedUnion(by, shapes as never, {
    error: 'must be a known kind',
  }) as unknown as z.ZodType<T>;

/** A row whose ID follows from its other fields, by which later work finds it. */
export const keyed = <T extends { readonly id: string }>(
  fields: z.ZodType<T>,
  keyOf: (row: T) => string,
): z.ZodType<T> =>
  fields.superRefine((row, context) => {
    const key = keyOf(row);
    if (row.id === key) return;
    const message = `must be ${JSON.stringify(key)}, according to its other fields`;
    context.addIssue({ code: 'custom', path: ['id'], message });
  });

/** The ID of a row. It may be part of a key, of a lane's name and of a file's name. */
export const Id = z
  .string()
  .min(1, { abort: true })
  .max(64, { abort: true })
  .regex(/^\w+$/, 'must contain only letters, digits and _');

/** The ID of a user, a resource or anything else that is not made here. */
export const Key = z.string().min(1).max(2_048);

const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');

/** Milliseconds since the epoch. */
export const Moment = z.number().min(0).max(lastMoment);

export const Count = z.int().min(0);

const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Where something is sent. Whether the server may send there is looked at when it does. */
export const HttpUrl = z
  .string()
  .max(2_048, { abort: true })
  .refine(isHttpUrl, 'must be an http or https URL');

/** Lower-case hex. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lowercase hex');

/** A blob that a row names. */
export const File = shape<FileOf>({
  blob: z.string().min(1).max(200),
  size: Count.optional(),
  sha256: z.string().optional(),
});
