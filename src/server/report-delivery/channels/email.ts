import { defined } from '../../../contract/defined.ts';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { SMTPSentMessageInfo } from 'nodemailer';
import type { Clock } from '../../deps.ts';
import type { ServerConfig, SmtpConfig } from '../../config/config.ts';
import type { ChannelOf, ReportMessage, SendReport, SendResult, Settled } from './channel.ts';
import { defaultSubject, htmlOf, subjectOf, textOf } from './email-body.ts';
import type { Enclosed } from './email-body.ts';
import { safeFilename } from './wording.ts';
import { resultOfMail, resultOfMailFailure } from './email-result.ts';

/** Bytes of files, in all, that are attached; above it there are links. Mail servers take 10 to 25 MB, a third more than that. */
const attachedAtMost = 10 * 1024 * 1024;

/** Milliseconds. */
const connectWithin = 15_000;
const silentWithin = 60_000;
/** Bytes that a mail server may say in all, before TLS or without: lines are answers of some dozen each. */
const mostHeard = 128 * 1024;

export const noMailServer =
  'no mail server is configured. Ask the operator to set smtp in the --config file, or GOVCTL_SMTP_URL';

/**
 * One message for all: everyone stands in its To. A repeat has the same Message-ID, and goes to those only who did not get
 * it before.
 */
export const createEmailChannel =
  (config: ServerConfig, clock: Clock): SendReport<'email'> =>
  async (channel, message, signal) => {
    const { smtp } = config;
    if (!smtp) {
      return { ok: false, permanent: true, error: `Not sent: ${noMailServer}` };
    }
    const settled = new Set(message.settled.map(({ recipient }) => recipient));
    const left = channel.recipients.filter((recipient) => !settled.has(recipient));
    if (left.length === 0) return resultOfMail(message.settled, []);
    const attach = channel.attach !== false && sizeOfFiles(message) <= attachedAtMost;
    const mail = { channel, message, left, at: clock.now() };
    const first = await sendMail(smtp, { ...mail, attach }, signal);
    // A server that takes less than that gets links.
    return attach && first.tooLarge
      ? (await sendMail(smtp, { ...mail, attach: false }, signal)).result
      : first.result;
  };

const sizeOfFiles = ({ files }: ReportMessage): number =>
  files.reduce((sum, { size }) => sum + size, 0);

interface Mail {
  readonly channel: ChannelOf<'email'>;
  readonly message: ReportMessage;
  /** Who is still to get it. */
  readonly left: readonly string[];
  readonly at: number;
  readonly attach: boolean;
}

async function sendMail(
  smtp: SmtpConfig,
  mail: Mail,
  signal: AbortSignal,
): Promise<{ readonly result: SendResult; readonly tooLarge?: boolean }> {
  const { message, left } = mail;
  const enclosed: Enclosed = mail.attach
    ? { attached: message.files, links: [] }
    : { attached: [], links: await message.links() };
  const transport = await openTransport(smtp);
  try {
    const sent: SMTPSentMessageInfo = await transport.sendMail({
      ...contentOf(smtp, mail, enclosed),
      envelope: { from: smtp.from.address, to: [...left] },
      signal,
    });
    return { result: resultOfMail(settledBy(message, sent, left), sent.rejectedErrors ?? []) };
  } catch (error) {
    if (signal.aborted) throw error;
    return resultOfMailFailure(error, message.settled);
  } finally {
    transport.close();
  }
}

const openTransport = async (smtp: SmtpConfig) =>
  (await import('nodemailer')).createTransport({
    socket: boundedSocket(),
    host: smtp.host,
    port: smtp.port,
    secure: smtp.tls === 'tls',
    requireTLS: smtp.tls === 'starttls',
    ignoreTLS: smtp.tls === 'none',
    tls: { rejectUnauthorized: true, ...defined({ ca: smtp.ca }) },
    ...(smtp.user === undefined
      ? {}
      : { auth: { user: smtp.user, pass: smtp.password ?? '' }, forceAuth: true }),
    connectionTimeout: connectWithin,
    greetingTimeout: connectWithin,
    dnsTimeout: connectWithin,
    socketTimeout: silentWithin,
    // A message is what is handed in, and nothing is fetched for it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });

/** Empty lines without end would be queued, and gone through one by one, for as long as a try lasts. */
function boundedSocket(): Socket {
  const socket = new Socket();
  let heard = 0;
  return socket.on('data', (chunk: Buffer) => {
    heard += chunk.length;
    if (heard > mostHeard) socket.destroy(new Error('the response of the mail server is too long'));
  });
}

const contentOf = (smtp: SmtpConfig, { channel, message, at }: Mail, enclosed: Enclosed) => ({
  from: smtp.from,
  ...(smtp.reply_to ? { replyTo: smtp.reply_to } : {}),
  to: channel.recipients.map((address) => ({ name: '', address })),
  subject: subjectOf(channel.subject ?? defaultSubject, message),
  messageId: `<${message.deliveryId}@${smtp.from.address.replace(/^.*@/, '')}>`,
  date: new Date(at),
  headers: { 'Auto-Submitted': 'auto-generated' },
  text: textOf(message, enclosed),
  html: htmlOf(message, enclosed),
  attachments: enclosed.attached.map((file) => ({
    filename: safeFilename(file.filename),
    contentType: file.media_type,
    content: Readable.from(file.read()),
  })),
});

const settledBy = (
  message: ReportMessage,
  { accepted }: SMTPSentMessageInfo,
  left: readonly string[],
): Settled[] => {
  const taken = new Set(accepted);
  return [
    ...message.settled,
    ...left.filter((one) => taken.has(one)).map((recipient) => ({ recipient })),
  ];
};
