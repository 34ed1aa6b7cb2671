import type { GovctlError } from '../../contract/errors.ts';
import { reword } from '../../contract/errors.ts';
import type { ReportInput } from '../../contract/reports.ts';
import { flagOf } from './report-fields.ts';

const longestValue = 80;

/** The string that was sent in a field. */
function sentIn(input: ReportInput, field: string): string {
  let at: unknown = input;
  for (const key of field.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return '';
    at = (at as Record<string, unknown>)[key]; // an object that has it
  }
  return typeof at === 'string' && at.length <= longestValue ? ` ${at}` : '';
}

/** What the service refused of a report, said of the flags that it was made of, with what they were given. */
export function saidOfFlags(error: GovctlError, input: ReportInput): GovctlError {
  const details = error.details.map(({ field, message }) => {
    const flag = flagOf(field);
    return {
      field: flag?.startsWith('--') ? flag + sentIn(input, field) : (flag ?? field),
      message,
    };
  });
  const [first] = details;
  if (error.status !== 400 || first === undefined) return error;
  const { hint = 'See `govctl report create --help`.' } = error;
  const message = `The report was not created: ${first.field} ${first.message}`;
  return reword(error, { message, details, hint });
}
