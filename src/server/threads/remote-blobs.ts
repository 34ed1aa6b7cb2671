import type { BlobWriter, Blobs, ByteRange, StoredBlob } from '../store/store.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { Port } from './threads.ts';

/** What a thread asks for; answers have the same number. Of a write, one thing is asked for at a time. */
export type BlobRequest =
  | {
      readonly kind: 'read';
      readonly read: number;
      readonly id: string;
      readonly range?: ByteRange;
    }
  | { readonly kind: 'next'; readonly read: number }
  | { readonly kind: 'close'; readonly read: number }
  | { readonly kind: 'create'; readonly write: number; readonly id: string }
  | { readonly kind: 'write'; readonly write: number; readonly bytes: Uint8Array }
  | { readonly kind: 'finish'; readonly write: number }
  | { readonly kind: 'abandon'; readonly write: number };

export type BlobReply =
  | { readonly kind: 'bytes'; readonly read: number; readonly bytes: Uint8Array }
  | { readonly kind: 'end'; readonly read: number }
  | { readonly kind: 'unreadable'; readonly read: number }
  | { readonly kind: 'written'; readonly write: number; readonly stored?: StoredBlob }
  | { readonly kind: 'unwritable'; readonly write: number; readonly message: string };

type ReadRequest = Extract<BlobRequest, { read: number }>;
type WriteRequest = Extract<BlobRequest, { write: number }>;

export const isBlobReply = (message: { readonly kind: string }): message is BlobReply =>
  ['bytes', 'end', 'unreadable', 'written', 'unwritable'].includes(message.kind);

/** Answers what a thread asks of blobs. Reads are a chunk ahead. */
export function serveBlobs(
  port: Pick<Port<never, BlobReply>, 'postMessage'>,
  blobs: Pick<Blobs, 'read'> & Partial<Pick<Blobs, 'create'>>,
) {
  interface Open {
    readonly chunks: AsyncIterator<Uint8Array>;
    ahead: Promise<IteratorResult<Uint8Array>>;
  }
  const open = new Map<number, Open>();
  const writers = new Map<number, BlobWriter>();

  const begin = ({ id, range }: ReadRequest & { kind: 'read' }): Open => {
    const chunks = blobs.read(id, range)[Symbol.asyncIterator]();
    return { chunks, ahead: next(chunks) };
  };
  const next = (chunks: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> => {
    const ahead = chunks.next();
    // Whoever asks for it is told.
    ahead.catch(() => undefined);
    return ahead;
  };
  const answer = async (read: number, one: Open): Promise<void> => {
    try {
      const { done, value } = await one.ahead;
      if (done === true) {
        open.delete(read);
        port.postMessage({ kind: 'end', read });
        return;
      }
      one.ahead = next(one.chunks);
      port.postMessage({ kind: 'bytes', read, bytes: new Uint8Array(value) });
    } catch {
      // What it was is for the log of whoever reads blobs; a path may be in it.
      open.delete(read);
      port.postMessage({ kind: 'unreadable', read });
    }
  };
  const close = async (one: Open): Promise<void> => {
    await one.ahead.catch(() => undefined);
    await one.chunks.return?.();
  };

  function serveRead(message: ReadRequest): void {
    const known = open.get(message.read);
    if (message.kind === 'close') {
      open.delete(message.read);
      if (known) void close(known).catch(() => undefined);
      return;
    }
    const one = message.kind === 'read' ? begin(message) : known;
    if (!one) return;
    open.set(message.read, one);
    void answer(message.read, one);
  }

  async function perform(message: WriteRequest): Promise<StoredBlob | undefined> {
    const { write } = message;
    if (message.kind === 'create') {
      if (!blobs.create) throw new Error('this store is read-only');
      writers.set(write, await blobs.create(message.id));
      return undefined;
    }
    const writer = writers.get(write);
    if (!writer) throw new Error('no blob is being written under this number');
    if (message.kind === 'write') {
      await writer.write(message.bytes);
      return undefined;
    }
    writers.delete(write);
    if (message.kind === 'finish') return writer.finish();
    await writer.abandon();
    return undefined;
  }

  function serveWrite(message: WriteRequest): void {
    const { write } = message;
    perform(message).then(
      (stored) => port.postMessage({ kind: 'written', write, ...(stored ? { stored } : {}) }),
      (error: unknown) => {
        const text = error instanceof Error ? error.message : String(error);
        port.postMessage({ kind: 'unwritable', write, message: text });
      },
    );
  }

  return {
    serve: (message: BlobRequest): void =>
      'read' in message ? serveRead(message) : serveWrite(message),
    /** Leaves nothing open. */
    async close() {
      const left = [...open.values()];
      open.clear();
      await Promise.all(left.map((one) => close(one).catch(() => undefined)));
      const unfinished = [...writers.values()];
      writers.clear();
      await Promise.all(unfinished.map((one) => one.abandon().catch(() => undefined)));
    },
  };
}

/** Blobs that are read and written through a port, a chunk at a time. */
export function remoteBlobs(port: Pick<Port<never, BlobRequest>, 'postMessage'>) {
  let numbers = 0;
  const waiting = new Map<number, (reply: BlobReply) => void>();
  const ask = (message: BlobRequest, transfer?: readonly ArrayBuffer[]): Promise<BlobReply> =>
    new Promise((resolve) => {
      waiting.set('read' in message ? message.read : message.write, resolve);
      port.postMessage(message, transfer);
    });

  async function* read(id: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const mine = (numbers += 1);
    let ended = false;
    try {
      let reply = await ask({ kind: 'read', read: mine, id, ...(range ? { range } : {}) });
      while (reply.kind === 'bytes') {
        yield reply.bytes;
        reply = await ask({ kind: 'next', read: mine });
      }
      ended = true;
      if (reply.kind === 'unreadable') throw new Error('a stored file cannot be read');
    } finally {
      if (!ended) port.postMessage({ kind: 'close', read: mine });
    }
  }

  async function create(id: string): Promise<BlobWriter> {
    const write = (numbers += 1);
    const send = async (
      message: BlobRequest,
      transfer?: readonly ArrayBuffer[],
    ): Promise<StoredBlob | undefined> => {
      const reply = await ask(message, transfer);
      if (reply.kind === 'unwritable') throw new StoreUnavailable(reply.message);
      return reply.kind === 'written' ? reply.stored : undefined;
    };
    await send({ kind: 'create', write, id });
    return {
      async write(chunk) {
        // A copy of its own: the writer may go on with the memory of the chunk.
        const bytes = new Uint8Array(chunk);
        await send({ kind: 'write', write, bytes }, [bytes.buffer]);
      },
      async finish() {
        const stored = await send({ kind: 'finish', write });
        if (!stored) throw new StoreUnavailable(`blob ${id} was not written`);
        return stored;
      },
      async abandon() {
        await send({ kind: 'abandon', write });
      },
    };
  }

  return {
    blobs: { read, create } satisfies Pick<Blobs, 'read' | 'create'>,
    answer(reply: BlobReply): void {
      const number = 'read' in reply ? reply.read : reply.write;
      const resolve = waiting.get(number);
      waiting.delete(number);
      resolve?.(reply);
    },
  };
}
