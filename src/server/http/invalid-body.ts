import type { ErrorDetail, ErrorName } from '../../contract/errors.ts';
import { GovctlError } from '../../contract/errors.ts';

/** The error for a body with valid types but values that do not fit the stored objects. @param details at least one */
export function invalidBody(
  error: ErrorName,
  details: readonly ErrorDetail[],
  hint?: string,
): GovctlError {
  const [first] = details;
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  return new GovctlError(
    error,
    `The body is not valid: ${first?.field ?? ''} ${first?.message ?? ''}${more}`,
    { details, ...(hint === undefined ? {} : { hint }) },
  );
}

export const invalidField = (error: ErrorName, field: string, message: string): GovctlError =>
  invalidBody(error, [{ field, message }]);

/** An update may contain the ID of its own object, as in the GET response, but no other. @throws GovctlError `error` */
export function checkSameId(
  error: ErrorName,
  what: string,
  id: string,
  given: string | undefined,
): void {
  if (given === undefined || given === id) return;
  throw invalidField(error, 'id', `must be omitted or be ${id}, the ${what} that is updated`);
}
