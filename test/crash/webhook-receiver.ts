import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pick } from '../support/pick.ts';

/** What may have kept an answer from its server, so that it sends the same again. */
interface Accepted {
  readonly event: string;
  readonly attempt: number;
  /** How often the server had been killed. */
  readonly era: number;
  readonly lost: boolean;
}

/** What one webhook got. */
interface Inbox {
  readonly secret: string;
  /** Events that were answered with 2xx, each once, in their order. */
  readonly accepted: string[];
  /** The exact text that each event had at its first attempt. */
  readonly bodies: Map<string, string>;
  last: Accepted | undefined;
  /** The event that is tried, and not accepted yet. */
  trying: string | undefined;
}

/** A second delivery of what was accepted, that only a lost answer can explain: the server must know of that. */
interface Unexplained {
  readonly webhook: string;
  readonly event: string;
  /** The attempt that was accepted before. */
  readonly attempt: number;
}

export interface Receiver {
  url(webhook: string): string;
  expect(webhook: string, secret: string): void;
  accepted(webhook: string): readonly string[];
  /** What should not have happened, in words. */
  readonly faults: readonly string[];
  readonly unexplained: readonly Unexplained[];
  readonly counts: Readonly<Record<string, number>>;
  /** To be called right before the server is killed. */
  serverDies(): void;
  /** To be called once it is dead: resolves when all is read that it had sent. */
  serverDied(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Receives for any number of webhooks, answers well or badly as chance has it, and checks what it gets: each event in
 * its order, again only where an answer may have been lost, each signature right and each body the same.
 * @param bad of 1,000 requests, so many are answered badly
 */
export async function startReceiver(pick: Pick, bad: number): Promise<Receiver> {
  const inboxes = new Map<string, Inbox>();
  const faults: string[] = [];
  const unexplained: Unexplained[] = [];
  const counts: Record<string, number> = { requests: 0, again: 0 };
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
      faults.push(`a request to ${request.url}`);
      return;
    }
    counts.requests = (counts.requests ?? 0) + 1;
    const fault = signatureFault(request, inbox.secret, body) ?? sameBody(inbox, event, body);
    if (fault !== undefined) faults.push(`${webhook} ${event}: ${fault}`);
    const wrong = placeOf(webhook, inbox, event);
    if (wrong !== undefined) faults.push(`${webhook} ${event}: ${wrong}`);
    answer(webhook, inbox, response, event, attempt);
  }

  /** What is wrong with getting this event now. */
  function placeOf(webhook: string, inbox: Inbox, event: string): string | undefined {
    const { last, trying } = inbox;
    if (event === last?.event) {
      counts.again = (counts.again ?? 0) + 1;
      if (trying !== undefined) return `came again after ${trying} was tried`;
      if (!last.lost && last.era === era) {
        unexplained.push({ webhook, event, attempt: last.attempt });
      }
      return undefined;
    }
    if (trying !== undefined && trying !== event) return `came while ${trying} was not accepted`;
    if (inbox.accepted.includes(event)) return 'came again, long after it was accepted';
    inbox.trying = event;
    return undefined;
  }

  function answer(
    webhook: string,
    inbox: Inbox,
    response: ServerResponse,
    event: string,
    attempt: number,
  ): void {
    const accept = (lost: boolean): void => {
      if (inbox.last?.event !== event) inbox.accepted.push(event);
      inbox.last = { event, attempt, era, lost };
      inbox.trying = undefined;
    };
    const how = pick(1_000) < bad ? (ways[pick(ways.length)] ?? 'fail') : 'ok';
    counts[how] = (counts[how] ?? 0) + 1;
    const { socket } = response;
    switch (how) {
      case 'ok':
        accept(false);
        response.end('{"received":true}');
        return;
      case 'slow':
        setTimeout(() => {
          // It may have been killed, or lost its patience, meanwhile.
          if (response.destroyed || inbox.trying !== event) return;
          accept(false);
          response.end();
        }, pick(80));
        return;
      case 'half body':
        accept(true);
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
      inboxes.set(webhook, {
        secret,
        accepted: [],
        bodies: new Map(),
        last: undefined,
        trying: undefined,
      });
    },
    accepted: (webhook) => inboxes.get(webhook)?.accepted ?? [],
    faults,
    unexplained,
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
  secret: string,
  body: string,
): string | undefined {
  const hmac = (text: string) => createHmac('sha256', secret).update(text);
  if (headerOf(request, 'x-service-signature') !== `sha256=${hmac(body).digest('hex')}`) {
    return 'has a wrong X-Service-Signature';
  }
  const [id, time] = [headerOf(request, 'webhook-id'), headerOf(request, 'webhook-timestamp')];
  const message = `v1,${hmac(`${id}.${time}.${body}`).digest('base64')}`;
  if (headerOf(request, 'webhook-signature') !== message) return 'has a wrong webhook-signature';
  return id === headerOf(request, 'x-service-event-id') ? undefined : 'has two ids';
}

function sameBody({ bodies }: Inbox, event: string, body: string): string | undefined {
  const before = bodies.get(event);
  if (before === undefined) bodies.set(event, body);
  return before === undefined || before === body ? undefined : 'has another body than before';
}
