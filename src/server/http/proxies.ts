import { isIP } from 'node:net';
import type { BlockList } from 'node:net';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { canonicalAddress, isInRanges } from './address.ts';
import type { Peer } from './peer.ts';

/** Whether a proxy says that a request came from elsewhere: then it is not from this machine, wherever the proxy is. */
export const isForwarded = (headers: Headers): boolean =>
  headers.has('forwarded') || headers.has('x-forwarded-for');

/** A request as it comes from the client, whichever proxies it passed. */
class ForwardedPeer implements Peer {
  constructor(
    private readonly proxy: Peer,
    readonly remoteAddress: string,
  ) {}

  destroy(): void {
    this.proxy.destroy?.();
  }

  destroySoon(): void {
    this.proxy.destroySoon?.();
  }

  trust(who: string): void {
    this.proxy.trust?.(who);
  }
}

/**
 * Replaces the address of a trusted proxy by that of its client: the last one in `Forwarded` (RFC 7239) or
 * `X-Forwarded-For` that is not a trusted proxy itself. What stands before it came from the client, who can write anything
 * there. A client that a proxy does not name has that proxy's word for it, such as `unknown`, which is in no range.
 * @throws GovctlError malformed_request where a trusted proxy sent what can't be read, or both headers and they differ: the
 * client itself may have sent the one that the proxy does not know
 */
export function clientOf(headers: Headers, peer: Peer, trusted: BlockList): Peer {
  const { remoteAddress } = peer;
  if (!isForwarded(headers) || !isInRanges(trusted, remoteAddress)) return peer;
  const forwarded = headers.get('forwarded');
  const list = headers.get('x-forwarded-for');
  const addresses = [
    forwarded === null ? undefined : lastUntrusted(readForwarded(forwarded), trusted),
    list === null ? undefined : lastUntrusted(readList(list), trusted),
  ].filter((address) => address !== undefined);
  const [address, other = address] = addresses;
  if (address === undefined) return peer;
  if (address !== other) {
    throw unreadable(
      'Forwarded and X-Forwarded-For contain different clients',
      'Configure the proxy to remove the header that it does not set.',
    );
  }
  return new ForwardedPeer(peer, address);
}

/** @param hops the last first; not read any further than needed. Undefined: there are none */
function lastUntrusted(hops: Iterable<string>, trusted: BlockList): string | undefined {
  let last: string | undefined;
  for (const hop of hops) {
    last = hop;
    if (!isInRanges(trusted, hop)) break;
  }
  return last;
}

function* readList(header: string): Generator<string> {
  for (const entry of header.split(',').reverse()) {
    const node = entry.trim();
    if (node === '') continue;
    yield isIP(node) === 6 && !node.includes('%')
      ? canonicalAddress(node)
      : readNode(node, 'X-Forwarded-For');
  }
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const quoted =
  '"((?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t \\x21-\\x7e\\x80-\\xff])*)"';
const pair = `(${token})=(?:(${token})|${quoted})`;
/** Up to the comma behind it. */
const element = new RegExp(`((?:${pair})?(?:;(?:${pair})?)*)[\\t ]*(?:,[\\t ]*|$)`, 'y');
const pairs = new RegExp(pair, 'g');

/** @throws GovctlError malformed_request where anything in the header is not as RFC 7239 says */
function* readForwarded(header: string): Generator<string> {
  const nodes: string[] = [];
  for (let at = 0; at < header.length; at = element.lastIndex) {
    element.lastIndex = at;
    const [, text] = element.exec(header) ?? [];
    if (text === undefined) throw unreadable('The Forwarded header is not valid');
    // A list may have empty elements.
    if (text !== '') nodes.push(nodeOf(text));
  }
  for (const node of nodes.reverse()) yield readNode(node, 'Forwarded');
}

/** Whom an element is `for`. */
function nodeOf(text: string): string {
  const values = new Map<string, string>();
  for (const [, name = '', plain, inQuotes = ''] of text.matchAll(pairs)) {
    const key = name.toLowerCase();
    if (values.has(key)) throw unreadable(`The Forwarded header has ${key} twice in one element`);
    values.set(key, plain ?? inQuotes.replace(/\\(.)/g, '$1'));
  }
  return values.get('for') ?? 'unknown';
}

/** With a port of digits, or one that the proxy made up. */
const withPort = /^(\[[^\]]*\]|[^:[\]]+)(?::(?:\d{1,5}|_[\w.-]+))?$/;
/** What a proxy calls whom it doesn't name; it is kept in memory, and in the log. */
const pseudonym = /^(?:unknown|_[\w.-]{1,100})$/i;

/** An IP address without its port, or what the proxy says instead. @throws GovctlError malformed_request */
function readNode(text: string, header: string): string {
  const [, name = ''] = withPort.exec(text) ?? [];
  const isBracketed = name.startsWith('[');
  const address = isBracketed ? name.slice(1, -1) : name;
  if (isIP(address) === (isBracketed ? 6 : 4) && !address.includes('%')) {
    return canonicalAddress(address);
  }
  if (pseudonym.test(name)) return name;
  throw unreadable(`The ${header} header contains a client that is not an address`);
}

const unreadable = (why: string, hint?: string): GovctlError =>
  new GovctlError('malformed_request', why, defined({ hint }));
