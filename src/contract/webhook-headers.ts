import * as z from 'zod';

const mostHeaders = 50;
/** Characters of all names and values. */
const longestHeaders = 16_384;
/** RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** What a delivery has of its own, or what is between two programs only. */
const reservedHeaders = new Set([
  ...['host', 'content-length', 'content-type', 'content-encoding', 'user-agent'],
  ...['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te', 'trailer', 'expect'],
]);
const isReserved = (name: string): boolean =>
  reservedHeaders.has(name) || /^(x-service-|webhook-|proxy-)/.test(name);

/** Sent with each delivery. Schemas look past a key named `__proto__`, so it is refused before they look. */
export const WebhookHeaders = z.preprocess(
  (given, context) => {
    if (typeof given === 'object' && given !== null && Object.hasOwn(given, '__proto__')) {
      const message = 'is not a valid header name';
      context.issues.push({ code: 'custom', input: given, path: ['__proto__'], message });
    }
    return given;
  },
  z.record(z.string(), z.string()).superRefine((headers, context) => {
    const names = Object.keys(headers);
    const length = Object.entries(headers).flat().join('').length;
    if (names.length > mostHeaders || length > longestHeaders) {
      const message = `must be at most ${mostHeaders} headers with ${longestHeaders} characters in total`;
      context.addIssue({ code: 'custom', message });
      return;
    }
    const seen = new Set<string>();
    for (const [name, value] of Object.entries(headers)) {
      const message = headerFault(name.toLowerCase(), value, seen);
      if (message) context.addIssue({ code: 'custom', path: [name], message });
    }
  }),
);

function headerFault(name: string, value: string, seen: Set<string>): string | undefined {
  if (!token.test(name)) return 'is not a valid header name';
  if (isReserved(name)) return 'is reserved';
  if (seen.has(name)) return 'is duplicated: header names are case-insensitive';
  seen.add(name);
  return /^[\x20-\x7e\xa0-\xff]*$/.test(value)
    ? undefined
    : 'must not contain line breaks, control characters or characters outside Latin-1';
}
