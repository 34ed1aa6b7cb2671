import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { defined } from '../../src/contract/defined.ts';
import type { Pick } from '../support/pick.ts';

/** A request that came whole. */
export interface Arrival {
  readonly event: string;
  readonly attempt: number;
  /** How often the server had been killed. */
  era: number;
  /** `lost`: accepted, by an answer that did not arrive whole. */
  outcome: 'accepted' | 'lost' | 'refused';
  /** What is wrong with its signature or its body. */
  readonly fault?: string;
}

/** What one webhook got. */
interface Inbox {
  /** The newest first: the one before still signs for a day. */
  secrets: readonly string[];
  readonly arrivals: Arrival[];
  /** The exact text that each event had at its first attempt. */
  readonly bodies: Map<string, string>;
}

export interface Receiver {
  url(webhook: string): string;
  /** Has a webhook's requests taken, signed with this secret or one before it. */
  expect(webhook: string, secret: string): void;
  arrivals(webhook: string): readonly Arrival[];
  readonly counts: Readonly<Record<string, number>>;
  /** To be called right before the server is killed. */
  serverDies(): void;
  /** To be called once it is dead: resolves when all is read that it had sent. */
  serverDied(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Receives for any number of webhooks, answers well or badly as chance has it, and writes down what it gets: whether each signature is
 * right and each body the same. `judgeLane` says whether what came is what should have come.
 * @param bad of 1,000 requests, so many are answered badly
 */
export async function startReceiver(pick: Pick, bad: number): Promise<Receiver> {
  const inboxes = new Map<string, Inbox>();
  const counts: Record<string, number> = { requests: 0 };
  let era = 0;

  const server = createServer((request, response) => {
    let body = '';
    // A server that is killed leaves requests in part.
    request.on('error', () => {});
    response.on('error', () => {});
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => receive(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.on('close', () => (open -= 1));
  });
  const { port } = server.address() as AddressInfo; // it listens on a port

  function receive(request: IncomingMessage, response: ServerResponse, body: string): void {
    const webhook = request.url?.slice(1) ?? '';
    const inbox = inboxes.get(webhook);
    const event = headerOf(request, 'x-service-event-id');
    const attempt = Number(headerOf(request, 'x-service-delivery-attempt'));
    if (!inbox) {
      // Of a webhook that was asked for, and whose creation was never answered.
      response.writeHead(404).end();
      return;
    }
    counts.requests = (counts.requests ?? 0) + 1;
    const fault = signatureFault(request, inbox.secrets, body) ?? sameBody(inbox, event, body);
    const arrival: Arrival = { event, attempt, era, outcome: 'refused', ...defined({ fault }) };
    inbox.arrivals.push(arrival);
    answer(inbox, response, arrival);
  }

  function answer(inbox: Inbox, response: ServerResponse, arrival: Arrival): void {
    const accept = (outcome: 'accepted' | 'lost'): void => {
      arrival.outcome = outcome;
      arrival.era = era;
    };
    const how = pick(1_000) < bad ? (ways[pick(ways.length)] ?? 'fail') : 'ok';
    counts[how] = (counts[how] ?? 0) + 1;
    const { socket } = response;
    switch (how) {
      case 'ok':
        accept('accepted');
        response.end('{"received":true}');
        return;
      case 'slow':
        setTimeout(() => {
          // It may have been killed, or lost its patience, meanwhile.
          if (response.destroyed || inbox.arrivals.at(-1) !== arrival) return;
          accept('accepted');
          response.end();
        }, pick(80));
        return;
      case 'half body':
        accept('lost');
        response.writeHead(200, { 'content-length': '1000' });
        response.write('the rest never comes', () => socket?.destroy());
        return;
      case 'half head':
        socket?.write('HTTP/1.1 200 OK\r\ncontent-le', () => socket.destroy());
        return;
      case 'reset':
        socket?.resetAndDestroy();
        return;
      case 'hang':
        return;
      case 'fail':
        response.writeHead(500).end('x'.repeat(pick(3_000)));
    }
  }

  return {
    url: (webhook) => `http://127.0.0.1:${port}/${webhook}`,
    expect(webhook, secret) {
      const inbox = inboxes.get(webhook) ?? { secrets: [], arrivals: [], bodies: new Map() };
      inbox.secrets = [secret, ...inbox.secrets];
      inboxes.set(webhook, inbox);
    },
    arrivals: (webhook) => inboxes.get(webhook)?.arrivals ?? [],
    counts,
    serverDies: () => void (era += 1),
    async serverDied() {
      do await pause(5);
      while (open > 0);
      era += 1;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const ways = ['slow', 'slow', 'half body', 'half head', 'reset', 'hang', 'fail', 'fail'] as const;

const headerOf = (request: IncomingMessage, name: string): string => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
};

/** Said anew here, so that it is not checked with what made it. */
function signatureFault(
  request: IncomingMessage,
  secrets: readonly string[],
  body: string,
): string | undefined {
  const [id, time] = [headerOf(request, 'webhook-id'), headerOf(request, 'webhook-timestamp')];
  if (id !== headerOf(request, 'x-service-event-id')) return 'has two ids';
  const isRight = secrets.some((secret) => {
    const hmac = (text: string) => createHmac('sha256', secret).update(text);
    const plain = headerOf(request, 'x-service-signature');
    const standard = headerOf(request, 'webhook-signature').split(' ');
    return (
      plain === `sha256=${hmac(body).digest('hex')}` &&
      standard.includes(`v1,${hmac(`${id}.${time}.${body}`).digest('base64')}`)
    );
  });
  return isRight ? undefined : 'has a wrong signature';
}

function sameBody({ bodies }: Inbox, event: string, body: string): string | undefined {
  const before = bodies.get(event);
  if (before === undefined) bodies.set(event, body);
  return before === undefined || before === body ? undefined : 'has another body than before';
}
