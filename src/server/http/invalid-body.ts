import type { ErrorDetail, ErrorName } from '../../contract/errors.ts';
import { GovctlError } from '../../contract/errors.ts';

/** A body whose fields are of the right form, but do not fit what is there. @param details one at least */
export function invalidBody(error: ErrorName, details: readonly ErrorDetail[]): GovctlError {
  const [first] = details;
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  return new GovctlError(
    error,
    `The body is not valid: ${first?.field ?? ''} ${first?.message ?? ''}${more}`,
    { details },
  );
}

export const invalidField = (error: ErrorName, field: string, message: string): GovctlError =>
  invalidBody(error, [{ field, message }]);

/** An update may name its own object, as what GET answered does, but no other. @throws GovctlError of the name given */
export function checkSameId(
  error: ErrorName,
  what: string,
  id: string,
  given: string | undefined,
): void {
  if (given === undefined || given === id) return;
  throw invalidField(error, 'id', `must be left out or be ${id}, the ${what} that is changed`);
}
