import type { Clock } from '../../deps.ts';
import type { Send } from '../../outbound/send.ts';
import type { ServerConfig } from '../../config/config.ts';
import { isRefusal, resultOfAnswer } from './answer.ts';
import type { MessageLink, ReportMessage, SendReport } from './channel.ts';
import { figuresOf, oneLine, sentenceOf, titleOf } from './wording.ts';

/** Milliseconds. */
const answerWithin = 30_000;

interface ChatParts {
  readonly config: ServerConfig;
  /** To wherever the operator says. */
  readonly send: Send;
  readonly clock: Clock;
}

/** Undefined: the operator gave the channel none. */
export const chatUrl = (channel: string, { chat }: ServerConfig): string | undefined =>
  chat && Object.hasOwn(chat.channels, channel) ? chat.channels[channel] : undefined;

/** In words that go after the name of the field. */
export const noChatUrl = (channel: string): string =>
  `is ${oneLine(channel, 128)}, for which this server has no URL: ask its operator to add it to chat.channels in the --config file`;

/** Slack's incoming webhooks, which other chat servers take, too. */
export const createChatChannel =
  ({ config, send, clock }: ChatParts): SendReport<'chat'> =>
  async ({ channel }, message, signal) => {
    const url = chatUrl(channel, config);
    if (url === undefined)
      return { ok: false, permanent: true, error: `delivery.chat.channel ${noChatUrl(channel)}` };
    const body = JSON.stringify(chatMessage(message, await message.links()));
    const headers = { 'Content-Type': 'application/json' };
    const outcome = await send({ url, headers, body, timeoutMs: answerWithin }, signal);
    return resultOfAnswer(outcome, {
      who: 'The chat server',
      now: clock.now(),
      isFinal: isRefusal,
      advice: 'Ask the operator to correct the URL of the channel in the --config file.',
      // Slack's are words such as no_service, channel_is_archived.
      reason: (text) => /^[a-z_]{1,60}$/.exec(text.trim())?.[0],
    });
  };

/** The text alone says everything, for servers and notifications that show nothing else. */
function chatMessage(message: ReportMessage, links: readonly MessageLink[]): unknown {
  const title = titleOf(message);
  const figures = figuresOf(message).map(
    ({ label, value }) => `*${marked(label)}:* ${marked(value)}`,
  );
  const addresses = links.map(({ format, url }) => `<${marked(url)}|${marked(format)}>`).join('  ');
  const download = addresses === '' ? [] : [`Download: ${addresses}`];
  const lines = [marked(sentenceOf(message)), ...figures, ...download];
  return {
    text: [`*${marked(title)}*`, ...lines].join('\n'),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: oneLine(title, 150), emoji: false } },
      { type: 'section', text: { type: 'mrkdwn', text: lines.join('\n').slice(0, 3_000) } },
      {
        type: 'context',
        elements: [{ type: 'plain_text', text: oneLine(footOf(message), 2_000), emoji: false }],
      },
    ],
  };
}

const footOf = ({ report, schedule }: ReportMessage): string =>
  schedule ? `${report.id}, by the schedule "${schedule.name}"` : report.id;

/** Slack's three signs; and nobody is called by what a report is named: @channel, @here. */
const marked = (text: string): string =>
  text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/@(?=(channel|here|all|everyone)\b)/gi, '@\u200b');
