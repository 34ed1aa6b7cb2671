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
      'The variable in private_key_env must contain an OpenSSH or PEM private key without a passphrase';
    return { ok: false, permanent: true, error };
  }
  if (message.includes('authentication methods failed')) {
    const error = `${who} rejected the user with this password or key: correct delivery.sftp.username, or the variable with the password or key`;
    return { ok: false, error, triesAtMost: triesToLogIn };
  }
  // SSH_FX_NO_SUCH_FILE, SSH_FX_PERMISSION_DENIED
  if (code === 2 || code === 3) {
    const why =
      code === 2 ? 'has no such directory' : 'does not let the user write to the directory';
    const error = `${who} ${why}: correct delivery.sftp.path, or the permissions of the user`;
    return { ok: false, permanent: true, error };
  }
  if (/^took \d/.test(message)) return { ok: false, error: `${who} ${message}` };
  if (code === 4) return { ok: false, error: `${who} could not write the file; is its disk full?` };
  if (/timed? ?out/i.test(message)) return { ok: false, error: `${who} did not respond in time` };
  const [, lacking] = /no matching (?:[CS]->[CS] )?([\w ]{1,40})/.exec(message) ?? [];
  if (lacking !== undefined) {
    const error = `${who} has no ${lacking} in common with this server: the SFTP server is too old, or its configuration is too strict`;
    return { ok: false, error };
  }
  if (/before handshake|^getConnection: (?:.*ECONNRESET|Unexpected (?:end|close))/.test(message)) {
    const error = `${who} closed the connection before the login: the host blocks this server, is busy, or is not an SFTP server`;
    return { ok: false, error };
  }
  if (/handshake|protocol|identification|greeting/i.test(message)) {
    return {
      ok: false,
      error: `${who} does not respond like an SSH server; check delivery.sftp.port`,
    };
  }
  return { ok: false, error: `${who} closed the connection before the upload was complete` };
}
