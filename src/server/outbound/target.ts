import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { kindOf, refusedKind } from './address.ts';
import type { TargetRules } from './address.ts';
import type { Address, Resolve } from './resolve.ts';

/** What webhooks may send to. */
export interface Targets {
  readonly rules: TargetRules;
  readonly resolve: Resolve;
}

/** Milliseconds that a new webhook waits for its host's addresses; they are looked at again at each connect. */
const resolveWithin = 2_000;

const onlyAllowed = 'to allow such targets, start the server with --allow-target';

/**
 * Why a url can't be a webhook's, in words that go after its field's name; undefined: it can. A host that has no address
 * now may have one later.
 */
export async function targetFault(
  text: string,
  targets: Targets,
  waitMs = resolveWithin,
): Promise<string | undefined> {
  const read = readTarget(text, targets.rules);
  if (typeof read === 'string') return read;
  return read.known ? undefined : addressesFault(read.host, targets, waitMs);
}

/** Why a host can't be sent to, whatever the protocol; as `targetFault`. */
export async function hostFault(
  host: string,
  targets: Targets,
  waitMs = resolveWithin,
): Promise<string | undefined> {
  if (isIP(host) !== 0) return addressFault(host, host, targets.rules);
  if (!/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9.])?$/.test(host) || /^[\d.]+$|^0x/i.test(host)) {
    return 'must be a host name or an IP address';
  }
  if (isLocalName(host)) return nameFault(host, targets.rules);
  return addressesFault(host, targets, waitMs);
}

async function addressesFault(
  host: string,
  targets: Targets,
  waitMs: number,
): Promise<string | undefined> {
  const found = await within(waitMs, targets.resolve(host)).catch(() => []);
  // Which address it is, and of what kind, is not for everyone who can create a webhook.
  return found.some(({ address }) => refusedKind(address, targets.rules))
    ? `must not be a host with an address that is not public; ${onlyAllowed}`
    : undefined;
}

/** As they are for a request, which may come from elsewhere though the server is local. */
export const targetsFor = (
  targets: Targets,
  { isLocal }: { readonly isLocal: boolean },
): Targets => (isLocal ? targets : { ...targets, rules: { ...targets.rules, local: false } });

/** @returns the host and whether it is judged already, or what is wrong */
function readTarget(text: string, rules: TargetRules): { host: string; known: boolean } | string {
  if (/[\u0000-\u0020\u007f\\]/.test(text)) {
    return 'must not contain spaces, control characters or backslashes';
  }
  const [, scheme, authority = ''] = /^(https?):\/\/([^/?#]*)/i.exec(text) ?? [];
  if (scheme === undefined) return 'must be an https:// URL';
  if (authority === '') return 'must contain a host';
  if (authority.includes('@')) {
    return 'must not contain a user name or password; send credentials as headers';
  }
  if (text.includes('#')) return 'must not contain a fragment (#…), which is never sent';
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'is not a valid URL';
  }
  if (url.port === '0') return 'must not use port 0';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const fault =
    isIP(host) === 0
      ? nameFault(host, rules)
      : addressFault(host, authority.replace(/:\d*$/, ''), rules);
  if (fault) return fault;
  const isLoopback = isLocalName(host) || (isIP(host) !== 0 && kindOf(host) === 'loopback');
  if (url.protocol === 'http:' && !(isLoopback && rules.local)) {
    return 'must be an https:// URL; http:// is only for hosts on this machine, and only if no other machine can reach the server';
  }
  return { host, known: isIP(host) !== 0 || isLocalName(host) };
}

function addressFault(host: string, written: string, rules: TargetRules): string | undefined {
  // 2130706433, 0x7f.1, 0177.0.0.1 and 127.1 are one address, and not all programs read each of them as the same.
  if (isIP(host) === 4 && written !== host) {
    return 'must contain the IPv4 address as four decimal numbers';
  }
  const kind = refusedKind(host, rules);
  return kind && `must not be an address that is not public (${kind}); ${onlyAllowed}`;
}

const nameFault = (host: string, rules: TargetRules): string | undefined =>
  isLocalName(host) && localAddresses(rules).length === 0
    ? `must not be this machine; ${onlyAllowed}`
    : undefined;

/** RFC 6761: they mean this machine, whatever a name server says. */
const isLocalName = (host: string): boolean => /(^|\.)localhost\.*$/i.test(host);

const loopbacks = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
] as const;

const localAddresses = (rules: TargetRules): readonly Address[] =>
  loopbacks.filter(({ address }) => !refusedKind(address, rules));

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timed out')), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** A connection that was not made, as its address may not be a target. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused';
}

const refused = (): TargetRefused => new TargetRefused('the address is not allowed as a target');

/** @throws TargetRefused for what a connection must not even be tried to: an address, or http where only https will do */
export function checkConnect(protocol: string, host: string, rules: TargetRules): void {
  if (protocol === 'http:' && !rules.local) throw refused();
  if (isIP(withoutBrackets(host)) !== 0 && refusedKind(withoutBrackets(host), rules)) {
    throw refused();
  }
}

const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');

/**
 * Finds a host's addresses at each connect, so that the address that was judged is the one that is connected to,
 * whatever a name server says the next time. One address that is refused has the host refused.
 */
export const guardedLookup =
  ({ rules, resolve }: Targets): LookupFunction =>
  (host, options, callback) => {
    const answer = (found: readonly Address[]): void => {
      const [first] = found;
      if (!first || found.some(({ address }) => refusedKind(address, rules))) {
        callback(refused(), '');
      } else if (options.all) {
        callback(null, [...found]);
      } else {
        callback(null, first.address, first.family);
      }
    };
    if (isLocalName(host)) answer(localAddresses(rules));
    else resolve(host).then(answer, (error: NodeJS.ErrnoException) => callback(error, ''));
  };
