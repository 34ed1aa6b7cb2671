import type { SendResult } from './channel.ts';

/** What no further try changes; in words that go after the server's name. */
export class SftpRefusal extends Error {
  override readonly name = 'SftpRefusal';
}

/** A password may be put right within seconds, and tries too many lock accounts. */
const triesToLogIn = 5;

/** What a failure means for a delivery. ssh2-sftp-client tells most by its messages alone. */
export function explainSftp(thrown: unknown, place: string): SendResult {
  const who = `The SFTP server ${place}`;
  if (thrown instanceof SftpRefusal) {
    return { ok: false, permanent: true, error: `${who} ${thrown.message}` };
  }
  const { message = '', code } = thrown as { readonly message?: string; readonly code?: unknown }; // an error, mostly
  if (message.includes('privateKey')) {
    const error =
      'The variable of private_key_env holds no private key that can be used: an OpenSSH or PEM key without a passphrase';
    return { ok: false, permanent: true, error };
  }
  if (message.includes('authentication methods failed')) {
    const error = `${who} does not take the user with this password or key: correct delivery.sftp.username, or the variable it names`;
    return { ok: false, error, triesAtMost: triesToLogIn };
  }
  // SSH_FX_NO_SUCH_FILE, SSH_FX_PERMISSION_DENIED
  if (code === 2 || code === 3) {
    const why = code === 2 ? 'has no such folder' : 'does not let the user write to the folder';
    const error = `${who} ${why}: correct delivery.sftp.path, or the rights of the user there`;
    return { ok: false, permanent: true, error };
  }
  if (/^took \d/.test(message)) return { ok: false, error: `${who} ${message}` };
  if (code === 4) return { ok: false, error: `${who} could not write the file; is its disk full?` };
  if (/timed? ?out/i.test(message)) return { ok: false, error: `${who} did not answer in time` };
  const [, lacking] = /no matching (?:[CS]->[CS] )?([\w ]{1,40})/.exec(message) ?? [];
  if (lacking !== undefined) {
    const error = `${who} has no ${lacking} in common with us: it is too old, or set up too strictly`;
    return { ok: false, error };
  }
  if (/before handshake|^getConnection: (?:.*ECONNRESET|Unexpected (?:end|close))/.test(message)) {
    const error = `${who} ended the connection before anybody could log in: it lets nobody in from here, or is busy, or something else listens on that port`;
    return { ok: false, error };
  }
  if (/handshake|protocol|identification|greeting/i.test(message)) {
    return {
      ok: false,
      error: `${who} does not speak SSH as it must; is delivery.sftp.port right?`,
    };
  }
  return { ok: false, error: `${who} ended the connection before all was uploaded` };
}
