import { GovctlError } from '../../contract/errors.ts';
import { trimEnd } from '../../contract/trim-end.ts';

/**
 * The address of a service in one spelling: no trailing slash, a path prefix kept.
 * @throws GovctlError usage_error for anything but a plain http(s) URL
 */
export function parseBaseUrl(text: string, from: string): string {
  const refuse = (why: string): GovctlError =>
    new GovctlError('usage_error', `${from}: "${withoutPassword(text)}" ${why}`, {
      hint: 'Use the URL of the service, such as https://governance.example.com.',
    });
  if (!URL.canParse(text)) throw refuse('is not a URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refuse('does not start with https:// or http://');
  }
  if (url.username || url.password) throw refuse('must not contain a user name or password');
  if (url.search || url.hash) throw refuse('must not have a query or a fragment');
  return url.origin + trimEnd(url.pathname, '/');
}

const withoutPassword = (text: string): string => text.replace(/\/\/[^@/]*@/, '//***@');

export const sameOrigin = (a: string, b: string): boolean =>
  new URL(a).origin === new URL(b).origin;

/** A path that a server or a proxy may decode into another one: `..%2f`. */
const mayClimb = /%(?:25|2e|2f|5c)/i;

/** Whether an address is `known`, or lies below it: the same origin, and a path that continues that of `known`. */
export function covers(known: string, address: string): boolean {
  if (!sameOrigin(known, address)) return false;
  const [from, to] = [known, address].map((url) => `${trimEnd(new URL(url).pathname, '/')}/`);
  return to?.startsWith(from ?? '') === true && !mayClimb.test(to.slice(from?.length));
}

/** True for an address of this machine only. */
export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d+){3}$/.test(hostname)
  );
}

/** True where a token would cross a network in the clear. */
export const isUnprotected = (baseUrl: string): boolean =>
  new URL(baseUrl).protocol === 'http:' && !isLoopback(baseUrl);
