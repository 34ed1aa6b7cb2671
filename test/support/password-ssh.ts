import type { AddressInfo } from 'node:net';
import ssh2 from 'ssh2';

export interface PasswordSsh {
  readonly port: number;
  /** All that were tried. */
  readonly passwords: readonly string[];
  close(): Promise<void>;
}

/** An SSH server of its own key that takes passwords: OpenSSH needs an account for that. Its files are refused. */
export async function startPasswordSsh({
  right = [],
  method = 'password',
  port = 0,
}: {
  readonly right?: readonly string[];
  readonly method?: 'password' | 'keyboard-interactive';
  readonly port?: number;
} = {}): Promise<PasswordSsh> {
  const privateKey = makeKey();
  const passwords: string[] = [];
  const server = new ssh2.Server({ hostKeys: [privateKey] }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (context) => {
      if (context.method !== method) {
        context.reject([method]);
        return;
      }
      const check = (given = ''): void => {
        passwords.push(given);
        if (right.includes(given)) context.accept();
        else context.reject();
      };
      if (context.method === 'password') check(context.password);
      if (context.method === 'keyboard-interactive') {
        context.prompt([{ prompt: 'Password: ', echo: false }], ([given]) => check(given));
      }
    });
    client.on('ready', () => {
      client.on('session', (accept) => {
        accept().on('sftp', (acceptSftp) => {
          const sftp = acceptSftp();
          const denied = (id: number): void => sftp.status(id, 3);
          sftp.on('LSTAT', denied).on('STAT', denied).on('OPEN', denied).on('REALPATH', denied);
        });
      });
    });
  });
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready));
  const { port: listening } = server.address() as AddressInfo; // of a socket that listens on a port
  const close = () => new Promise<void>((closed) => server.close(() => closed()));
  return { port: listening, passwords, close };
}

/** One of some keys that ssh2 makes cannot be parsed by it: then another. */
function makeKey(): string {
  for (;;) {
    const { private: key } = ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(key) instanceof Error)) return key;
  }
}
