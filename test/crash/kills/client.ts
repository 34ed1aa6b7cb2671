import { setTimeout as pause } from 'node:timers/promises';
import type { BuiltServer } from '../../support/built-cli.ts';
import type { Pick as PickNumber } from '../../support/pick.ts';
import { endpointOf } from './changing.ts';
import type { Changing } from './changing.ts';
import { without } from './history.ts';
import type { About, Entry, Json } from './history.ts';
import { judgeRepeat, ours } from './judge.ts';

/** What all clients share. */
export interface Scene {
  readonly pick: PickNumber;
  /** The server, once it is up and has been checked; undefined: the world has ended. */
  up(): Promise<BuiltServer | undefined>;
  readonly history: Entry[];
  readonly objections: string[];
  /** It goes on and on: nothing stays, and nothing is kept to be sent again. */
  readonly isForever: boolean;
  era: number;
  /** How many things there have been. */
  things: number;
  /** How many writes there have been. */
  writes: number;
}

/** The client didn't wait for an answer. */
export class GaveUp extends Error {}
/** There is nothing more to do. */
export class Over extends Error {}

interface Sent {
  readonly body?: object;
  readonly text?: string;
  readonly search?: string;
  readonly about?: About;
  /** Other statuses that may be answered: what it is about may be gone, or elsewhere. */
  readonly or?: readonly number[];
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: Json;
}

interface Attempted extends Answer {
  readonly isReplayed: boolean;
}

interface Written {
  readonly entry: Entry;
  readonly answer: Answer;
  readonly again: () => Promise<Attempted | undefined>;
}

/** One of many that write at once, each about things of its own. */
export class Client {
  /** Its last acknowledged writes, which can be sent again. */
  readonly written: Written[] = [];

  constructor(readonly scene: Scene) {}

  /** A name that nothing had before. */
  name(): string {
    this.scene.things += 1;
    return `${ours}${this.scene.things}`;
  }

  /** Asks for a write until it is answered, or the client gives up. */
  async write(endpoint: Changing, ids: string, sent: Sent = {}): Promise<Answer> {
    const { scene } = this;
    const { about, or = [] } = sent;
    const entry: Entry = {
      era: scene.era,
      endpoint,
      attempts: [],
      fate: 'open',
      ...(about && { about }),
    };
    scene.history.push(entry);
    scene.writes += 1;
    const key = `write-${scene.writes}`;
    const { method, response } = endpointOf(endpoint);
    for (;;) {
      const got = await this.attempt(entry, endpoint, ids, sent, key);
      if (!got) {
        if (scene.isForever || scene.pick(4) > 0) continue;
        entry.fate = 'abandoned';
        throw new GaveUp();
      }
      const { status, text } = got;
      if (entry.attempts.length > 1 && text.includes('"idempotency_key_reused"')) {
        // It was done, and what it answered is lost with its secret.
        entry.fate = 'acknowledged';
        throw new GaveUp();
      }
      const isGone = method === 'DELETE' && status === 404 && entry.attempts.length > 1;
      const isDone = (status >= 200 && status < 300) || isGone;
      entry.fate = isDone ? 'acknowledged' : 'refused';
      // Without a key, what was done by the first attempt is refused the second time.
      if (!isDone && scene.isForever && entry.attempts.length > 1) throw new GaveUp();
      if (!isDone && !or.includes(status)) {
        scene.objections.push(`${endpoint} ${ids} was answered ${status} ${text.slice(0, 500)}`);
      }
      if (got.json.resolved === 0) entry.isIdle = true;
      if (isDone && about) this.noteRow(entry, about, got);
      if (isDone && !isGone && status !== response.status && status !== 201) {
        scene.objections.push(`${endpoint} was answered ${status}`);
      }
      // The others are the same however often they are made.
      if (isDone && method === 'POST' && !scene.isForever) {
        this.written.push({
          entry,
          answer: got,
          again: () => this.attempt(entry, endpoint, ids, sent, key),
        });
        if (this.written.length > 20) this.written.shift();
      }
      return got;
    }
  }

  /** Where the answer is the object, it is that from then on. */
  private noteRow(entry: Entry, about: About, { json }: Answer): void {
    const { versioned, response } = endpointOf(entry.endpoint);
    if (about.leaves === null) entry.row = null;
    else if (versioned && response.body) entry.row = without(json, secrets);
  }

  /** @returns undefined where no answer came */
  private async attempt(
    { attempts }: Entry,
    endpoint: Changing,
    ids: string,
    given: Sent,
    key: string,
  ): Promise<Attempted | undefined> {
    const { body, text, search = '' } = given;
    const { method, path, streamed, bodyTypes } = endpointOf(endpoint);
    const type = text === undefined ? 'application/json' : (streamed ?? bodyTypes?.[0] ?? '');
    const server = await this.scene.up();
    if (!server) throw new Over();
    const attempt: Entry['attempts'][number] = { id: `${key}.${attempts.length}`, fate: 'unanswered' }; // prettier-ignore
    attempts.push(attempt);
    const got = await ask(server, method, fill(path, ids) + search, {
      headers: {
        'content-type': type,
        'x-request-id': attempt.id,
        ...(!this.scene.isForever && { 'idempotency-key': key }),
      },
      ...(text === undefined ? body && { body: JSON.stringify(body) } : { body: text }),
    });
    if (got?.status === 503) {
      attempt.fate = 'unavailable';
      await pause(20);
      return undefined;
    }
    if (got) attempt.fate = 'answered';
    return got;
  }

  /** Reads until it is answered. */
  async read(path: string): Promise<Answer> {
    for (;;) {
      const server = await this.scene.up();
      if (!server) throw new Over();
      const got = await ask(server, 'GET', path);
      if (got && got.status !== 503) return got;
      await pause(10);
    }
  }

  /** Reads what a write left that was never answered: what it shows lasts. */
  async look(
    { noun, label }: Pick<About, 'noun' | 'label'>,
    path: string,
  ): Promise<Json | undefined> {
    const got = await this.read(path);
    const row = got.status === 404 ? null : got.json;
    this.scene.history.push({
      era: this.scene.era,
      endpoint: 'read',
      about: { noun, label, leaves: row },
      attempts: [],
      fate: 'acknowledged',
      row,
    });
    return row ?? undefined;
  }

  /** Sends a write again that was acknowledged. */
  async repeat(): Promise<void> {
    const { written, scene } = this;
    const one = written[scene.pick(Math.max(1, written.length))];
    const again = await one?.again();
    if (one && again) scene.objections.push(...judgeRepeat(one.entry, one.answer, again));
  }
}

/** Fields that are shown once. */
const secrets = [
  ...['key', 'signing_secret', 'client_secret', 'invitation_url', 'invitation_expires_at'],
];

const fill = (path: string, ids: string): string => {
  const parts = ids.split(' ');
  return path.replace(/:\w+/g, () => encodeURIComponent(parts.shift() ?? ''));
};

/** @returns undefined where no answer came, or half of one */
export async function ask(
  server: BuiltServer,
  method: string,
  path: string,
  given: { headers?: Readonly<Record<string, string>>; body?: string } = {},
): Promise<Attempted | undefined> {
  try {
    const response = await fetch(`${server.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${server.key}`, ...given.headers },
      ...(given.body !== undefined && { body: given.body }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type') === 'application/json';
    return {
      status: response.status,
      text,
      json: isJson ? (JSON.parse(text) as Json) : {},
      isReplayed: response.headers.get('idempotent-replayed') === 'true',
    };
  } catch {
    return undefined;
  }
}
