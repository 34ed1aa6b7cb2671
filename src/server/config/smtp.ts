import { defined } from '../../contract/defined.ts';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import { Email } from '../../contract/reports.ts';
import { isLoopback } from '../http/address.ts';
import type { MailAddress, SmtpConfig } from './config.ts';
import type { Env } from './references.ts';
import type { ConfigFile } from './schema.ts';

type SmtpFields = NonNullable<ConfigFile['smtp']>;

interface ReadSmtp {
  readonly config: SmtpConfig;
  readonly notices: readonly string[];
}

const ports = { tls: 465, starttls: 587, none: 25 } as const;

/**
 * The mail server of the file, else that of GOVCTL_SMTP_URL and GOVCTL_SMTP_FROM; undefined: there is none.
 * @throws GovctlError invalid_file, usage_error
 */
export async function smtpOf(
  fields: SmtpFields | undefined,
  env: Env,
  file: string | undefined,
): Promise<ReadSmtp | undefined> {
  if (fields) {
    const where = `${file ?? ''}: smtp`;
    const fail = (message: string) => new GovctlError('invalid_file', `${where}${message}`);
    return { ...(await readFields(fields, file ?? '.', fail)) };
  }
  const url = env.GOVCTL_SMTP_URL;
  if (url === undefined || url === '') return undefined;
  const fail = (message: string) =>
    new GovctlError(
      'usage_error',
      `GOVCTL_SMTP_URL, GOVCTL_SMTP_FROM: ${message.replace(/^\.\w+ /, '')}`,
    );
  const from = env.GOVCTL_SMTP_FROM;
  if (from === undefined || from === '') {
    throw fail('the sender is missing; set GOVCTL_SMTP_FROM, such as reports@example.com');
  }
  return readFields({ url, from }, '.', fail);
}

async function readFields(
  fields: SmtpFields,
  file: string,
  fail: (message: string) => GovctlError,
): Promise<ReadSmtp> {
  const { from, reply_to: replyTo, ca_file: caFile } = fields;
  const place =
    fields.url === undefined ? plainPlace(fields, fail) : urlPlace(fields.url, fields, fail);
  const tls = fields.tls ?? place.tls ?? defaultTls(place);
  const { host, user, password } = place;
  if ((user === undefined) !== (password === undefined)) {
    throw fail(' requires both user and password');
  }
  const isReadable = tls === 'none' && password !== undefined && !isLoopback(host);
  return {
    config: {
      host,
      port: place.port ?? ports[tls],
      tls,
      ...defined({ user, password }),
      ...(caFile === undefined
        ? {}
        : { ca: await readCa(path.resolve(path.dirname(file), caFile), fail) }),
      from: addressOf(from, '.from', fail),
      ...(replyTo === undefined ? {} : { reply_to: addressOf(replyTo, '.reply_to', fail) }),
    },
    notices: isReadable
      ? [
          `The password of the mail server ${host} is sent unencrypted, because tls is none. Use starttls or tls.`,
        ]
      : [],
  };
}

interface Place {
  readonly host: string;
  readonly port?: number | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly tls?: SmtpConfig['tls'] | undefined;
}

function plainPlace(
  { host, port, user, password }: SmtpFields,
  fail: (m: string) => GovctlError,
): Place {
  if (host === undefined) throw fail(' requires host or a URL');
  if (!/^[A-Za-z0-9.:_-]+$/.test(host)) throw fail('.host is not a host name');
  return { host, port, user, password };
}

function urlPlace(text: string, fields: SmtpFields, fail: (m: string) => GovctlError): Place {
  const beside = (['host', 'port', 'user', 'password'] as const).find(
    (name) => fields[name] !== undefined,
  );
  if (beside !== undefined)
    throw fail(`.${beside} cannot be used with a URL, which already contains this value`);
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw fail('.url must be a URL such as smtp://user:password@smtp.example.com:587');
  }
  const isSecure = url.protocol === 'smtps:';
  if ((!isSecure && url.protocol !== 'smtp:') || url.hostname === '') {
    throw fail('.url must begin with smtp:// or smtps:// and contain a host');
  }
  if (url.search !== '' || url.hash !== '' || !['', '/'].includes(url.pathname)) {
    throw fail(
      '.url must not contain a path, query or fragment; in the password, write # as %23 and ? as %3F',
    );
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? undefined : Number(url.port),
    user: url.username === '' ? undefined : decoded(url.username, fail),
    password: url.password === '' ? undefined : decoded(url.password, fail),
    tls: isSecure ? 'tls' : undefined,
  };
}

function decoded(text: string, fail: (m: string) => GovctlError): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw fail('.url contains a % that is not part of an encoded character; write it as %25');
  }
}

const defaultTls = ({ host, port }: Place): SmtpConfig['tls'] => {
  if (port === 465) return 'tls';
  return isLoopback(host) ? 'none' : 'starttls';
};

function addressOf(text: string, field: string, fail: (m: string) => GovctlError): MailAddress {
  const [, name = '', address = text.trim()] =
    /^\s*"?([^"<>]*?)"?\s*<([^<>]+)>\s*$/.exec(text) ?? [];
  const isGood = Email.safeParse(address).success && !/\p{Cc}/u.test(name);
  if (!isGood)
    throw fail(
      `${field} must be an address such as reports@example.com, or Reports <reports@example.com>`,
    );
  return { name, address };
}

async function readCa(file: string, fail: (m: string) => GovctlError): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  if (/-----BEGIN CERTIFICATE-----/.test(text)) return text;
  throw fail(`.ca_file: ${file} is not a readable file of PEM certificates`);
}
