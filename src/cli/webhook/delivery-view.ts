import { utcMinute, utcSecond } from '../../contract/utc-time.ts';
import type { Attempt, Delivery, DeliveryItem } from '../../contract/webhook-deliveries.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';
import { count, printableLine, visible, inThrees } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';

/** @param room columns; Infinity in a pipe */
export const deliveryView = (delivery: Delivery, room: number): View => ({
  value: delivery,
  human: (style) =>
    describeDelivery(delivery, style, room) +
    delivery.attempts.map((attempt) => `\n${describeAttempt(attempt, style, room)}`).join(''),
});

function describeDelivery(delivery: Delivery, style: Style, room: number): string {
  return formatDetails(
    `${delivery.event_type} ${delivery.id}`,
    [
      ['status', delivery.status],
      ['event', delivery.event_id],
      ['webhook', delivery.webhook_id],
      ['test', delivery.test ? 'sent by `govctl webhook test`' : undefined],
      ['attempts', inThrees(delivery.attempt_count)],
      ['next', delivery.next_attempt_at && utcSecond(delivery.next_attempt_at)],
      ['error', delivery.error],
      ['created', utcMinute(delivery.created_at)],
      ['updated', utcMinute(delivery.updated_at)],
    ],
    style,
    room,
  );
}

function describeAttempt(attempt: Attempt, style: Style, room: number): string {
  const { response_status: status, error } = attempt;
  const outcome = status === undefined ? 'no response' : `returned ${status}`;
  const paint = isSuccess(status) ? style.green : style.red;
  const head = `${style.bold(`Attempt ${attempt.number}`)}  ${utcSecond(attempt.at)}  ${paint(outcome)} after ${inThrees(Math.round(attempt.duration_ms))} ms`;
  const lines = [
    ...(error === undefined ? [] : [`error: ${printableLine(error)}`]),
    ...headerLines('sent', attempt.request_headers, style),
    ...headerLines('got', attempt.response_headers ?? {}, style),
  ].map((line) => wrapWords(`  ${line}`, room, 5));
  // A body's lines stay as they are.
  const body = bodyLines(attempt, style).map((line) => `  ${line}`);
  return `${[head, ...lines, ...body].join('\n')}\n`;
}

const isSuccess = (status: number | undefined): boolean =>
  status !== undefined && status >= 200 && status < 300;

const headerLines = (
  word: string,
  headers: Readonly<Record<string, string>>,
  style: Style,
): string[] =>
  Object.entries(headers).map(
    ([name, value]) => `${style.dim(word.padEnd(4))} ${printableLine(`${name}: ${value}`)}`,
  );

/** Of a body, for people; -o json has what the service kept. */
const mostLines = 20;
const mostCharacters = 2_000;

function bodyLines(
  { response_body: body, response_truncated: cut }: Attempt,
  style: Style,
): string[] {
  if (body === undefined || body === '') return [];
  // The end of its last line begins no other.
  const text = body.slice(0, mostCharacters).replace(/\r?\n$/, '');
  const start = text === '' ? [] : text.split(/\r?\n/);
  const shown = start.slice(0, mostLines).map((line) => `${style.dim('|')} ${visible(line)}`);
  const isAll = body.length <= mostCharacters && start.length <= mostLines;
  if (!isAll)
    shown.push(style.dim(`... ${inThrees(body.length)} characters in total; use -o json for all`));
  else if (cut) shown.push(style.dim('... the service stored only this part'));
  return shown;
}

/** For a table. */
export const shortAnswer = ({ response_status: status, error }: DeliveryItem): string =>
  status === undefined ? (error ?? '-') : String(status);

export const paintDelivery = (text: string, { status }: DeliveryItem, style: Style): string => {
  if (status === 'succeeded') return style.green(text);
  return status === 'failed' ? style.red(text) : style.yellow(text);
};

/** One line for what changed of a delivery. */
export function deliveryLine(delivery: DeliveryItem, style: Style): string {
  const again = delivery.next_attempt_at
    ? `, next attempt at ${utcSecond(delivery.next_attempt_at)}`
    : '';
  const attempts = count(delivery.attempt_count, 'attempt');
  const outcome = `${delivery.status}  ${shortAnswer(delivery)}, ${attempts}${again}`;
  return `${style.dim(utcSecond(delivery.updated_at))}  ${printableLine(delivery.event_type)}  ${paintDelivery(printableLine(outcome), delivery, style)}  ${style.dim(delivery.id)}\n`;
}
