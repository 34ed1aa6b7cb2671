import type { SendResult, Settled } from './channel.ts';
import { oneLine } from './wording.ts';

/** What nodemailer says of a failure. */
interface MailFailure {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
  readonly recipient?: string | undefined;
  readonly rejectedErrors?: readonly MailFailure[] | undefined;
}

/** A password may be put right within seconds, and tries too many lock accounts. */
const triesToLogIn = 5;

/**
 * What came of a message that was taken for some recipients.
 * @param settled those nothing more is sent to, before what follows
 * @param rejected what the mail server said of the others
 */
export function resultOfMail(
  settled: readonly Settled[],
  rejected: readonly MailFailure[],
): SendResult {
  const refused = rejected.filter(isForGood).map(({ recipient = '', response }) => ({
    recipient,
    refused: saidBy(response),
  }));
  const deferred = rejected.filter((one) => !isForGood(one));
  const all = [...settled, ...refused];
  const [first] = deferred;
  if (first) {
    const who = listed(deferred.map(({ recipient = '' }) => recipient));
    const error = `The mail server is not accepting mail for ${who}: ${saidBy(first.response)}`;
    return { ok: false, error, settled: all };
  }
  const never = all.filter(({ refused: why }) => why !== undefined);
  if (never.length === 0) return { ok: true, settled: all };
  const [{ refused: why = '' } = {}] = never;
  const who = listed(never.map(({ recipient }) => recipient));
  const others = all.length - never.length;
  const got = others > 0 ? `; the other ${others} received it` : '';
  return {
    ok: false,
    permanent: true,
    settled: all,
    error: `The mail server rejects mail for ${who}: ${why}${got}. Correct the recipients`,
  };
}

const isForGood = ({ responseCode = 0 }: MailFailure): boolean => responseCode >= 500;

const listed = (recipients: readonly string[]): string =>
  recipients.length <= 3
    ? recipients.map((one) => oneLine(one, 254)).join(', ')
    : `${recipients.slice(0, 3).join(', ')} and ${recipients.length - 3} more`;

/** What a server answered, as far as it can be shown. */
const saidBy = (response: string | undefined): string =>
  response === undefined ? 'no reason given' : `"${oneLine(response, 200)}"`;

/** What came of a message that nobody got. */
export function resultOfMailFailure(
  thrown: unknown,
  settled: readonly Settled[],
): { readonly result: SendResult; readonly tooLarge?: boolean } {
  const failure = thrown as MailFailure; // nodemailer's errors are; of others, no field is known
  if (failure.rejectedErrors && failure.rejectedErrors.length > 0) {
    return { result: resultOfMail(settled, failure.rejectedErrors) };
  }
  const { responseCode: status, response } = failure;
  if (isTooLarge(failure)) {
    const error = `The mail server does not accept a message of this size: ${saidBy(response)}. Set attach: false to deliver links instead`;
    return { tooLarge: true, result: { ok: false, permanent: true, error } };
  }
  if (failure.code === 'EAUTH' || failure.code === 'ENOAUTH') {
    const error = `The mail server rejected the configured user and password${status === undefined ? '' : ` (${status})`}: ask the operator to correct smtp in the --config file`;
    // 4xx: it could not look just now.
    const triesAtMost = status !== undefined && status < 500 ? {} : { triesAtMost: triesToLogIn };
    return { result: { ok: false, error, ...triesAtMost } };
  }
  if (isUntrusted(failure)) {
    const error =
      'The mail server does not offer trusted TLS, so nothing was sent: ask the operator to check tls and ca_file of smtp in the --config file';
    return { result: { ok: false, error } };
  }
  if (status !== undefined) {
    const error = `The mail server rejected the message: ${saidBy(response)}`;
    return { result: { ok: false, error, permanent: status >= 500 } };
  }
  const words = Object.hasOwn(reasons, failure.code ?? '')
    ? reasons[failure.code ?? '']
    : undefined;
  return { result: { ok: false, error: `The mail server ${words ?? 'could not be reached'}` } };
}

/** RFC 5321 552, and RFC 3463 5.3.4 and 5.2.3; a mailbox that is full is 5.2.2. */
const isTooLarge = ({ responseCode, response = '' }: MailFailure): boolean =>
  (responseCode === 552 && !/\b5\.2\.2\b/.test(response)) || /\b5\.(3\.4|2\.3)\b/.test(response);

/** nodemailer tells a certificate that is not trusted by its message alone. */
const isUntrusted = ({ code, message = '' }: MailFailure): boolean =>
  code === 'ETLS' ||
  (code === 'ESOCKET' && /certificate|altname|self.signed|\bSSL|\bTLS/i.test(message));

const reasons: Readonly<Partial<Record<string, string>>> = {
  ECONNECTION: 'closed the connection before accepting the message',
  ETIMEDOUT: 'did not respond in time',
  EDNS: 'was not found',
  ESOCKET: 'could not be reached, or closed the connection',
  EPROTOCOL: 'sent a response that is not from a mail server',
  ESTREAM: 'did not receive the message, because a file of the report could not be read',
};
