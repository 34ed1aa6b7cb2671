import type { Clock } from '../../deps.ts';
import type { Send } from '../../outbound/send.ts';
import { isRefusal, resultOfAnswer } from './answer.ts';
import type { MessageLink, ReportMessage, SendReport } from './channel.ts';
import { targetOf } from './target-of.ts';
import { figuresOf, sentenceOf, titleOf } from './wording.ts';

/** Milliseconds. */
const answerWithin = 30_000;

interface TeamChatParts {
  readonly send: Send;
  readonly clock: Clock;
}

/** An Adaptive Card, as the workflows of Microsoft Teams take it, and its older connectors did. */
export const createTeamChatChannel =
  ({ send, clock }: TeamChatParts): SendReport<'team_chat'> =>
  async (channel, message, signal) => {
    const body = JSON.stringify(cardMessage(message, await message.links()));
    const headers = { 'Content-Type': 'application/json' };
    const outgoing = { url: channel.webhook_url, headers, body, timeoutMs: answerWithin };
    return resultOfAnswer(await send(outgoing, signal), {
      who: `The team chat at ${targetOf(channel)}`,
      now: clock.now(),
      isFinal: isRefusal,
      advice: "Correct the schedule's delivery.team_chat.webhook_url.",
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
