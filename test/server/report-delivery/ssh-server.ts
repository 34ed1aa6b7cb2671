import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { userInfo } from 'node:os';
import path from 'node:path';
import { hasTool, runTool } from '../../support/system-tool.ts';

const sshd = '/usr/sbin/sshd';

/** Whether OpenSSH is here. */
export const hasOpenSsh = (): boolean =>
  hasTool('OpenSSH (Debian: openssh-server, openssh-client)', () => {
    if (!existsSync(sshd)) throw new Error(`there is no ${sshd}`);
    runTool('ssh', '-V');
  });

export interface SshServer {
  readonly port: number;
  readonly username: string;
  /** A key that it lets in. */
  readonly privateKey: string;
  /** As `ssh-keygen -l` prints it. */
  readonly hostKey: string;
  /** Ends every connection, and those that come. */
  hangUp(): void;
  close(): Promise<void>;
}

const makeKey = (file: string): void => runTool('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', file); // prettier-ignore

/** OpenSSH on this machine, as the user who runs the test: one process for each connection. */
export async function startOpenSsh(folder: string): Promise<SshServer> {
  mkdirSync(folder, { recursive: true });
  const [host, user, allowed, config] = ['host', 'user', 'allowed', 'config'].map((name) => path.join(folder, name)) as [string, string, string, string]; // prettier-ignore
  makeKey(host);
  makeKey(user);
  writeFileSync(allowed, readFileSync(`${user}.pub`));
  writeFileSync(
    config,
    [
      `HostKey ${host}`,
      `AuthorizedKeysFile ${allowed}`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin yes',
      'PidFile none',
      'Subsystem sftp internal-sftp',
      '',
    ].join('\n'),
  );
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const sockets = new Set<Socket>();
  const children = new Set<ChildProcess>();
  const server = createServer((socket) => {
    const child = spawn(sshd, ['-i', '-f', config], { stdio: ['pipe', 'pipe', 'ignore'] });
    sockets.add(socket);
    children.add(child);
    for (const stream of [socket, child.stdin, child.stdout]) stream.on('error', () => undefined);
    socket.pipe(child.stdin);
    child.stdout.pipe(socket);
    socket.on('close', () => child.kill());
    child.on('close', () => socket.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const printed = execFileSync('ssh-keygen', ['-lf', `${host}.pub`], { encoding: 'utf8' });
  const hangUp = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port, // of a socket that listens on a port
    username: userInfo().username,
    privateKey: readFileSync(user, 'utf8'),
    hostKey: printed.split(' ')[1] ?? '',
    hangUp,
    async close() {
      hangUp();
      for (const child of children) child.kill();
      await new Promise((closed) => server.close(closed));
    },
  };
}
