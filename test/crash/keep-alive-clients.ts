import http from 'node:http';
import https from 'node:https';
import { connect as connectPlain } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { Agent, request } from 'undici';
import type { BuiltServer } from '../support/built-cli.ts';

/** What became of a request. */
interface Outcomes {
  /** With a whole answer. */
  answered: number;
  /** Of these, those whose answer says that the connection closes behind it. */
  closing: number;
  /** It could not connect. */
  refused: number;
  /** The connection ended in good order before an answer began. */
  closed: number;
  /** The same for the first request of a connection, which the kernel made and nobody accepted. */
  neverAccepted: number;
  /** The connection was reset, or ended within an answer. */
  readonly broken: string[];
}

export interface Clients {
  readonly outcomes: Outcomes;
  /** Waits until they are refused, which ends them: before, they try again. */
  end(): Promise<void>;
}

interface To {
  readonly url: URL;
  readonly key: string;
  readonly ca: string | undefined;
  readonly outcomes: Outcomes;
  readonly isEnding: () => boolean;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

const isRefused = (error: unknown): boolean =>
  codeOf(error) === 'ECONNREFUSED' ||
  (error instanceof AggregateError && error.errors.every((one) => isRefused(one)));

let policies = 0;
const aPolicy = (): string =>
  JSON.stringify({
    name: `stop ${(policies += 1)} ${process.pid}`,
    resource_type: 'AWS::S3::Bucket',
    rules: [{ condition: 'resource.open', effect: 'DENY' }],
  });

/** Every fourth request writes. */
const next = (at: number): { method: 'GET' | 'POST'; body?: string } =>
  at % 4 === 0 ? { method: 'POST', body: aPolicy() } : { method: 'GET' };

const headersOf = (key: string) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
});

/** @returns whether to go on */
async function failed(
  { outcomes, isEnding }: To,
  error: unknown,
  isFirst: boolean,
  heard: boolean,
): Promise<boolean> {
  if (isRefused(error)) {
    outcomes.refused += 1;
    if (isEnding()) return false;
    await sleep(5);
    return true;
  }
  const text = error instanceof Error ? error.message : String(error);
  const inOrder = /other side closed|socket hang up/.test(text);
  if (!heard && isFirst) outcomes.neverAccepted += 1;
  else if (!heard && inOrder) outcomes.closed += 1;
  else outcomes.broken.push(`${codeOf(error)} ${text}${heard ? ', within an answer' : ''}`);
  return true;
}

async function undiciClient(to: To): Promise<void> {
  const { url, key, ca, outcomes } = to;
  const agent = new Agent({ connections: 1, pipelining: 1, ...(ca ? { connect: { ca } } : {}) });
  let isFirst = true;
  for (let at = 0, on = true; on; at += 1) {
    let heard = false;
    try {
      const answer = await request(new URL('/v1/policies?limit=20', url), {
        ...next(at),
        headers: headersOf(key),
        dispatcher: agent,
      });
      heard = true;
      await answer.body.text();
      outcomes.answered += 1;
      if (answer.headers.connection === 'close') outcomes.closing += 1;
      isFirst = answer.headers.connection === 'close';
    } catch (error) {
      on = await failed(to, error, isFirst, heard);
      isFirst = true;
    }
  }
  await agent.close();
}

async function nodeClient(to: To, keepAlive: boolean): Promise<void> {
  const { url, key, ca, outcomes } = to;
  const { Agent: NodeAgent, request: send } = url.protocol === 'https:' ? https : http;
  const agent = new NodeAgent({ keepAlive, maxSockets: 1 });
  for (let at = 0, on = true; on; at += 1) {
    const { method, body } = next(at);
    on = await new Promise<boolean>((resolve) => {
      let heard = false;
      const outgoing = send(
        new URL('/v1/policies?limit=20', url),
        { method, agent, headers: headersOf(key), ...(ca ? { ca } : {}) },
        (incoming) => {
          heard = true;
          incoming.resume();
          incoming.once('error', fail);
          incoming.once('end', () => {
            outcomes.answered += 1;
            if (incoming.headers.connection === 'close') outcomes.closing += 1;
            resolve(true);
          });
        },
      );
      const fail = (error: unknown): void =>
        resolve(failed(to, error, !outgoing.reusedSocket, heard));
      outgoing.once('error', fail);
      outgoing.end(body);
    });
  }
  agent.destroy();
}

/** Requests that are sent in one piece. */
const atOnce = 5;

/** Sends some requests at once and waits for their answers, on one connection as long as that stays. */
async function pipeliningClient(to: To): Promise<void> {
  const { url, key, outcomes } = to;
  for (let on = true; on;) {
    on = await new Promise<boolean>((resolve) => {
      let got = '';
      let sent = 0;
      let whole = 0;
      let isClosing = false;
      let isConnected = false;
      const where = { host: url.hostname, port: Number(url.port) };
      const socket: Socket =
        url.protocol === 'https:' ? connectTls({ ...where, ca: to.ca }) : connectPlain(where);
      const send = (): void => {
        const requests = Array.from({ length: atOnce }, () => {
          const { method, body = '' } = next((sent += 1));
          return `${method} /v1/policies?limit=20 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
        });
        socket.write(requests.join(''));
      };
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        isConnected = true;
        send();
      });
      socket.on('data', (chunk: Buffer) => {
        got += chunk.toString('latin1');
        for (;;) {
          const [head] = got.split('\r\n\r\n', 1);
          const length = Number(/^content-length: (\d+)/im.exec(head ?? '')?.[1]);
          if (head === undefined || head === got || got.length < head.length + 4 + length) break;
          if (isClosing)
            outcomes.broken.push('an answer behind the one that closes the connection');
          got = got.slice(head.length + 4 + length);
          whole += 1;
          outcomes.answered += 1;
          if (/^connection: close/im.test(head)) {
            isClosing = true;
            outcomes.closing += 1;
          }
          if (whole === sent && !isClosing) send();
        }
      });
      socket.once('end', () => {
        socket.end();
        if (got !== '') outcomes.broken.push(`ended within an answer: ${got.slice(0, 80)}`);
        // What arrived before the end was decided is answered; a batch arrives as a whole, or not at all.
        else if (isClosing && whole < sent)
          outcomes.broken.push(`${sent - whole} of ${atOnce} left`);
        else if (whole < sent) outcomes.closed += sent - whole;
        resolve(true);
      });
      socket.once('error', (error) => {
        const isFirst = whole === 0 && (!isConnected || sent <= atOnce);
        resolve(failed(to, error, isFirst, got !== ''));
      });
    });
  }
}

/** Clients that send without a pause, most of them on connections that they keep. @param each of every kind */
export function sendWithoutPause(
  { baseUrl, key }: Pick<BuiltServer, 'baseUrl' | 'key'>,
  each: number,
  ca?: string,
): Clients {
  const outcomes: Outcomes = {
    answered: 0,
    closing: 0,
    refused: 0,
    closed: 0,
    neverAccepted: 0,
    broken: [],
  };
  let isEnding = false;
  const to = { url: new URL(baseUrl), key, ca, outcomes, isEnding: () => isEnding };
  const all = Array.from({ length: each }, () => [
    undiciClient(to),
    nodeClient(to, true),
    pipeliningClient(to),
  ]);
  const done = Promise.all([...all.flat(), nodeClient(to, false)]);
  return {
    outcomes,
    async end() {
      isEnding = true;
      await done;
    },
  };
}
