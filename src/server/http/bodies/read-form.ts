import { GovctlError } from '../../../contract/errors.ts';

/** @throws GovctlError malformed_request when a field is given twice */
export function parseForm(text: string): Record<string, string> {
  return uniqueEntries(new URLSearchParams(text), 'The form');
}

/** @throws GovctlError malformed_request when a name is given twice */
export function uniqueEntries(given: URLSearchParams, where: string): Record<string, string> {
  const seen = new Map<string, string>();
  for (const [name, value] of given) {
    if (seen.has(name)) {
      const field = name.slice(0, 100);
      throw new GovctlError('malformed_request', `${where} contains ${field} twice`, {
        details: [
          {
            field,
            message: 'is duplicated; separate multiple values with commas',
          },
        ],
      });
    }
    seen.set(name, value);
  }
  return Object.fromEntries(seen);
}
