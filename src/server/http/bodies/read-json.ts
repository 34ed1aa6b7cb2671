import { GovctlError } from '../../../contract/errors.ts';
import { locateJsonError } from '../../../inventory/text/explain-json-error.ts';
import { maxDepth } from '../../../inventory/text/depth.ts';
import { findDeep } from '../../../inventory/text/find-deep.ts';
import { createPlaces } from '../../../inventory/text/place.ts';

/** @throws GovctlError malformed_request with line and column */
export function parseJson(text: string): unknown {
  if (text.trim() === '')
    throw new GovctlError('malformed_request', 'The body is empty; it must be JSON');
  const deep = findDeep(text, maxDepth);
  if (deep !== undefined) {
    const { line, column } = createPlaces(text)(deep);
    const message = `lists and maps are nested more than ${maxDepth} levels deep at line ${line}, column ${column}`;
    throw refuse(`The body is not accepted: ${message}`, message);
  }
  try {
    return JSON.parse(text);
  } catch {
    const { line, column, found } = locateJsonError(text);
    const message = `unexpected ${found} at line ${line}, column ${column}`;
    throw refuse(`The body is not valid JSON: ${message}`, message);
  }
}

const refuse = (description: string, message: string): GovctlError =>
  new GovctlError('malformed_request', description, { details: [{ field: 'body', message }] });
