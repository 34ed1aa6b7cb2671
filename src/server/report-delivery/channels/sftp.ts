import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Duplex } from 'node:stream';
import type { Algorithms } from 'ssh2';
import type SftpClient from 'ssh2-sftp-client';
import { canonicalHost } from '../../config/binding.ts';
import type { Place } from '../../config/binding.ts';
import type { ServerConfig } from '../../config/config.ts';
import type { Deps } from '../../deps.ts';
import { DialFailure, dial } from '../../outbound/dial.ts';
import { heardInTurns } from '../../outbound/heard-in-turns.ts';
import type { ChannelOf, ReportMessage, SendReport, Surroundings } from './channel.ts';
import { secretFor } from './bound-secret.ts';
import { expectedKey, fingerprintOf, rememberKey } from './host-key.ts';
import { SftpRefusal, explainSftp } from './sftp-result.ts';
import { uploadName } from './wording.ts';

/** Milliseconds. */
const connectWithin = 20_000;
const silentWithin = 60_000;
const defaultPort = 22;
/** Bytes that a server may say: its greeting, keys and banner, and then a few dozen for each 32 KiB that it is given. */
const mostHeard = 128 * 1024;
const givenForEachHeard = 32;

/**
 * Of a group that the server names, Node tests the prime: half a minute in which this process does nothing else. Packed
 * data could take a thousand times its length of memory.
 */
const algorithms: Algorithms = {
  kex: { remove: ['diffie-hellman-group-exchange-sha256'], append: [], prepend: [] },
  compress: ['none'],
};

interface SftpParts {
  readonly deps: Pick<Deps, 'store' | 'clock'>;
  readonly surroundings: Surroundings;
}

/**
 * Uploads each file under a name that begins with a dot and is not its own, then renames it, so that nobody reads half of
 * one; its SHA-256 stands beside it.
 */
export const createSftpChannel =
  ({ deps, surroundings }: SftpParts): SendReport<'sftp'> =>
  async (channel, message, signal) => {
    const login = sftpLogin(channel, surroundings.config);
    if ('fault' in login) {
      const error = `delivery.sftp.${login.field} ${login.fault}`;
      return { ok: false, permanent: true, error };
    }
    const { host, port } = login.place;
    const place = `${host}:${port}`;
    let socket: Socket | undefined;
    let saidTooMuch = false;
    const hangUp = (): void => void socket?.destroy();
    try {
      const within = { signal, withinMs: connectWithin };
      // What takes time comes before the connection: it may end, and nobody would be there to notice.
      const { default: Client } = await import('ssh2-sftp-client');
      const expected = await expectedKey(deps, place, channel.host_key);
      socket = await dial({ host, port }, surroundings.targets, within);
      socket.setTimeout(silentWithin, hangUp);
      signal.addEventListener('abort', hangUp, { once: true });
      // What happens while nothing is asked of it is seen by the next thing that is.
      const client = new Client('govctl', { error() {}, end() {}, close() {} });
      const given = message.files.reduce((sum, { size }) => sum + size, 0);
      const connection = heardInTurns(socket, mostHeard + given / givenForEachHeard, () => {
        saidTooMuch = true;
        hangUp();
      });
      const key = await logIn(client, connection, { channel, login, expected });
      await rememberKey(deps, place, key);
      await upload(client, channel.path, message);
      await client.end();
      return { ok: true };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof DialFailure) {
        return { ok: false, error: `The SFTP server ${place}: ${error.message}` };
      }
      if (saidTooMuch) {
        const told = `The SFTP server ${place} sent too much data, so the connection was closed: ask its operator`;
        return { ok: false, error: told };
      }
      return explainSftp(error, place);
    } finally {
      signal.removeEventListener('abort', hangUp);
      hangUp();
    }
  };

type Login = { readonly password: string } | { readonly privateKey: string };

/** What to log in with, and the very host that it may be sent to. `field` is one of `delivery.sftp`. */
export function sftpLogin(
  channel: ChannelOf<'sftp'>,
  config: ServerConfig,
): (Login & { readonly place: Place }) | { readonly field: string; readonly fault: string } {
  const { password_env: passwordEnv, private_key_env: keyEnv, port = defaultPort } = channel;
  const field = keyEnv === undefined ? 'password_env' : 'private_key_env';
  const name = keyEnv ?? passwordEnv;
  if (name === undefined) return { field, fault: 'is required unless private_key_env is set' };
  const host = canonicalHost(channel.host);
  if (host === undefined) return { field: 'host', fault: 'is not a host name' };
  const place = { host, port, defaultPort };
  const found = secretFor(name, place, config);
  if ('fault' in found) return { field, ...found };
  const { secret } = found;
  // Some ways to set variables take no line ends.
  return keyEnv === undefined
    ? { password: secret, place }
    : { privateKey: secret.includes('\n') ? secret : secret.replaceAll('\\n', '\n'), place };
}

interface LogInOptions {
  readonly channel: ChannelOf<'sftp'>;
  readonly login: Login;
  /** The fingerprint of the server's key, where it is known. */
  readonly expected: string | undefined;
}

/** @returns the fingerprint of the server's key */
async function logIn(
  client: SftpClient,
  connection: Duplex,
  { channel, login, expected }: LogInOptions,
): Promise<string> {
  let seen = '';
  if ('password' in login) answerPrompts(client, login.password);
  try {
    await client.connect({
      sock: connection,
      username: channel.username,
      ...('password' in login ? { password: login.password } : { privateKey: login.privateKey }),
      tryKeyboard: 'password' in login,
      readyTimeout: connectWithin,
      algorithms,
      hostVerifier(key: Buffer) {
        seen = fingerprintOf(key);
        return expected === undefined || seen === expected;
      },
    });
  } catch (error) {
    if (expected === undefined || seen === '' || seen === expected) throw error;
    throw new SftpRefusal(
      `has an unexpected host key: ${seen}, not ${expected}. If the server was set up again, set delivery.sftp.host_key of the schedule to the new key; otherwise the connection may be intercepted`,
    );
  }
  return seen;
}

/** Many servers ask for a password that way only. */
function answerPrompts(client: SftpClient, password: string): void {
  type Prompts = readonly { readonly echo: boolean }[];
  type Finish = (answers: string[]) => void;
  client.on(
    'keyboard-interactive',
    (_: string, __: string, ___: string, prompts: Prompts, finish: Finish) => {
      // What is shown as it is typed is no password.
      finish(prompts.map(({ echo }) => (echo ? '' : password)));
    },
  );
}

async function upload(client: SftpClient, folder: string, message: ReportMessage): Promise<void> {
  if (folder.split(/[/\\]/).includes('..')) throw new SftpRefusal('has a path that contains ..');
  const inFolder = (name: string): string => `${folder.replace(/\/+$/, '')}/${name}`;
  if ((await client.exists(folder)) !== 'd') {
    throw new SftpRefusal(
      'has no such directory: create it, or correct delivery.sftp.path in the schedule',
    );
  }
  for (const file of message.files) {
    const name = uploadName(message, file.filename);
    await putWhole(name, Readable.from(file.read()), file.size);
    const sum = Buffer.from(`${file.sha256}  ${name}\n`);
    await putWhole(`${name}.sha256`, sum, sum.length);
  }

  async function putWhole(name: string, content: Readable | Buffer, size: number): Promise<void> {
    const temporary = inFolder(`.${message.deliveryId}.part`);
    try {
      await client.put(content, temporary);
      const arrived = (await client.stat(temporary)).size;
      if (arrived !== size) throw new Error(`received ${arrived} of ${size} bytes`);
      await moveOver(client, temporary, inFolder(name));
    } catch (error) {
      if (content instanceof Readable) content.destroy();
      await client.delete(temporary, true).catch(() => undefined);
      throw error;
    }
  }
}

/** In one step where the server can; a file of an earlier try may be there. */
async function moveOver(client: SftpClient, from: string, to: string): Promise<void> {
  try {
    await client.posixRename(from, to);
  } catch {
    await client.delete(to, true);
    await client.rename(from, to);
  }
}
