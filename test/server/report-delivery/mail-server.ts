import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerOptions } from 'smtp-server';
import type { SmtpConfig } from '../../../src/server/config/config.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The whole message, as it came. */
  readonly text: string;
  readonly user: unknown;
  readonly secure: boolean;
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** What a mail server answers to a command: a code and words; undefined: it takes it. */
type Refusal = { readonly code: number; readonly text: string } | undefined;

export interface MailServerOptions extends SMTPServerOptions {
  /** To a recipient. */
  readonly refuse?: (recipient: string) => Refusal;
  /** To a whole message. */
  readonly refuseMessage?: (text: string) => Refusal;
}

const refusal = ({ code, text }: NonNullable<Refusal>): Error =>
  Object.assign(new Error(text), { responseCode: code });

/** A real mail server on this machine. */
export async function startMailServer(options: MailServerOptions = {}) {
  const mails: ReceivedMail[] = [];
  const { refuse, refuseMessage, ...rest } = options;
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    disabledCommands: rest.key === undefined ? ['STARTTLS'] : [],
    onRcptTo({ address }, _, done) {
      const refused = refuse?.(address);
      done(refused && refusal(refused));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const refused = refuseMessage?.(text);
        if (refused) {
          done(refusal(refused));
          return;
        }
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text,
          user: session.user,
          secure: session.secure,
        });
        done();
      });
    },
    ...rest,
  });
  // Clients that hang up are no news.
  server.on('error', () => undefined);
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.server.address() as AddressInfo; // of a socket that listens on a port
  return {
    mails,
    port,
    config: (fields: Partial<SmtpConfig> = {}): SmtpConfig => ({
      host: '127.0.0.1',
      port,
      tls: 'none',
      from: { name: 'Reports', address: 'reports@sender.example' },
      ...fields,
    }),
    /** Ends every connection at once. */
    hangUp(): void {
      for (const socket of sockets) socket.destroy();
    },
    close: () => new Promise<void>((closed) => server.close(() => closed())),
  };
}
