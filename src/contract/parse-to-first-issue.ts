import type * as z from 'zod';

/** Zod's own, for its `validate`. Were it ignored by another version, test/attack/hostile-answers.test.ts would fail. */
interface ToFirstIssue extends z.core.ParseContext<z.core.$ZodIssue> {
  readonly abortEarly: true;
}

const toFirstIssue: ToFirstIssue = { abortEarly: true, reportInput: true };

/**
 * `safeParse` that stops at the first wrong item: what others send may have millions, each an issue in memory. Issues have
 * their input, for `describeIssues`.
 */
export const parseToFirstIssue = <S extends z.ZodType>(
  schema: S,
  value: unknown,
): z.ZodSafeParseResult<z.output<S>> => schema.safeParse(value, toFirstIssue);
