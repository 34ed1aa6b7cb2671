import type { Clock } from '../../deps.ts';
import type { ServerConfig } from '../../config/config.ts';
import type { Send } from '../../outbound/send.ts';
import { isRefusal, resultOfAnswer } from './answer.ts';
import type { MessageLink, ReportMessage, SendReport } from './channel.ts';
import { secretUrlFor } from './bound-secret.ts';
import { targetOf } from './target-of.ts';
import { figuresOf, sentenceOf, titleOf } from './wording.ts';

/** Milliseconds. */
const answerWithin = 30_000;

interface TeamChatParts {
  readonly send: Send;
  readonly clock: Clock;
  readonly config: ServerConfig;
}

/** An Adaptive Card, as the workflows of Microsoft Teams take it, and its older connectors did. */
export const createTeamChatChannel =
  ({ send, clock, config }: TeamChatParts): SendReport<'team_chat'> =>
  async (channel, message, signal) => {
    const { webhook_url: plain, webhook_url_env: name = '' } = channel;
    const found = plain === undefined ? secretUrlFor(name, config) : { url: plain };
    if ('fault' in found) {
      const error = `delivery.team_chat.webhook_url_env ${found.fault}`;
      return { ok: false, permanent: true, error };
    }
    const { url } = found;
    const body = JSON.stringify(cardMessage(message, await message.links()));
    const headers = { 'Content-Type': 'application/json' };
    const outgoing = { url, headers, body, timeoutMs: answerWithin };
    return resultOfAnswer(await send(outgoing, signal), {
      who: `The team chat at ${targetOf(channel)}`,
      now: clock.now(),
      isFinal: isRefusal,
      advice:
        plain === undefined
          ? `Ask the operator to correct the URL in the variable ${name}.`
          : "Correct the schedule's delivery.team_chat.webhook_url.",
    });
  };

/** @see https://adaptivecards.io/explorer/AdaptiveCard.html */
const cardMessage = (message: ReportMessage, links: readonly MessageLink[]): unknown => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        // What Teams shows on every device.
        version: '1.4',
        body: [
          textBlock(titleOf(message), { size: 'Large', weight: 'Bolder' }),
          textBlock(sentenceOf(message), {}),
          {
            type: 'FactSet',
            facts: figuresOf(message).map(({ label, value }) => ({ title: label, value })),
          },
        ],
        actions: links.map(({ format, url }) => ({
          type: 'Action.OpenUrl',
          title: `Download ${format}`,
          url,
        })),
      },
    },
  ],
});

const textBlock = (text: string, look: Readonly<Record<string, string>>) => ({
  type: 'TextBlock',
  text: plain(text),
  wrap: true,
  ...look,
});

/** A TextBlock reads Markdown: names must not make links, images or lists. */
const plain = (text: string): string => text.replace(/[\\`*_~[\]()#<>!|+-]/g, '\\$&');
