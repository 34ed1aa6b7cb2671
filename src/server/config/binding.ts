import { isIP } from 'node:net';

/** Where a credential of the server may be sent. Bound to nothing, it is sent nowhere. */
export interface Binding {
  /** As in `files.example.com`, `files.example.com:2222`, `*.example.com`, `[2001:db8::1]:22`. */
  readonly hosts: readonly string[];
  /** As in `reports`, or `reports-*`: all names that begin so; `storage/v1/s3/reports` behind an endpoint with a path. */
  readonly buckets: readonly string[];
}

/** One end of a connection, as it is going to be dialed. */
export interface Place {
  /** In canonical form, see `canonicalHost`. */
  readonly host: string;
  readonly port: number;
  /** The protocol's own: a host that is bound without a port is bound to this one. */
  readonly defaultPort: number;
}

/**
 * The one way to write a host: lower case, IDN as `xn--…`, IPv4 as four numbers, IPv6 in its short form without
 * brackets, no trailing dot. Undefined: it is no host, or is more than one.
 */
export function canonicalHost(text: string): string | undefined {
  const plain = text.replace(/^\[(.*)\]$/s, '$1');
  const isIpv6 = isIP(plain) === 6;
  // A zone is a network card of this machine, no part of a host's name.
  if (isIpv6 ? plain.includes('%') : !/^[\p{L}\p{N}\p{M}._-]+$/u.test(plain)) return undefined;
  const url = `https://${isIpv6 ? `[${plain}]` : plain}`;
  if (!URL.canParse(url)) return undefined;
  return new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '') || undefined;
}

/** A host as it is shown, with its port where that is not the protocol's own: `[::1]:2222`. */
export function showPlace({ host, port, defaultPort }: Place): string {
  if (port === defaultPort) return host;
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

interface HostEntry {
  readonly host: string;
  /** Also every name below it; not the name itself. */
  readonly isBelow: boolean;
  readonly port: number | undefined;
}

function readHostEntry(text: string): HostEntry | undefined {
  const isBelow = text.startsWith('*.');
  const rest = isBelow ? text.slice(2) : text;
  const [, name = rest, portText] =
    isIP(rest) === 6 ? [] : (/^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(rest) ?? []);
  const host = canonicalHost(name);
  const port = portText === undefined ? undefined : Number(portText);
  if (host === undefined || (port !== undefined && (port < 1 || port > 65_535))) return undefined;
  // All of a top-level domain is nobody's own.
  if (isBelow && (isIP(host) !== 0 || !host.includes('.'))) return undefined;
  return { host, isBelow, port };
}

export const isHostEntry = (text: string): boolean => readHostEntry(text) !== undefined;

/** Whether it is a bucket's name, or the beginning of one and a star, behind the path of its endpoint if that has one. */
export const isBucketEntry = (text: string): boolean =>
  /^(?:[\w~-][\w.~-]*\/)*(?:[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]|[a-z0-9][a-z0-9.-]{0,61}\*)$/.test(
    text,
  );

/** Whether a host and port are among those of a binding. */
export const isBoundTo = ({ hosts }: Pick<Binding, 'hosts'>, place: Place): boolean =>
  hosts.some((text) => {
    const entry = readHostEntry(text);
    if (!entry || (entry.port ?? place.defaultPort) !== place.port) return false;
    return entry.isBelow
      ? isIP(place.host) === 0 && place.host.endsWith(`.${entry.host}`)
      : place.host === entry.host;
  });

export const isBoundToBucket = ({ buckets }: Pick<Binding, 'buckets'>, bucket: string): boolean =>
  buckets.some((entry) =>
    entry.endsWith('*') ? bucket.startsWith(entry.slice(0, -1)) : bucket === entry,
  );

/** The host and port that a request to an http or https URL goes to; undefined: it is no such URL. */
export function placeOfUrl(text: string): Place | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port } = new URL(text);
  const defaultPort = protocol === 'https:' ? 443 : protocol === 'http:' ? 80 : undefined;
  const host = canonicalHost(hostname);
  if (host === undefined || defaultPort === undefined) return undefined;
  return { host, port: port === '' ? defaultPort : Number(port), defaultPort };
}
