import path from 'node:path';
import { retryDelay } from '../../client/retry.ts';
import { GovctlError } from '../../contract/errors.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import { showSize } from './sizes.ts';
import { answeredHash, contentRange, strongTag, wholeLength } from './part-headers.ts';
import type { PartHeaders } from './part-headers.ts';
import type { PartFile, PartFiles } from './part-files.ts';

/** An answer with bytes: 200, 206 or 416. */
export interface PartAnswer {
  readonly status: number;
  readonly headers: PartHeaders;
  /** Ends with an error where the connection is cut. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface DownloadDeps {
  /** Asks for a file, or with `range` and `if-range` for the rest of it. @throws GovctlError for any other answer */
  readonly fetchPart: (headers: Readonly<Record<string, string>>) => Promise<PartAnswer>;
  readonly files: PartFiles;
  readonly sleep: (ms: number) => Promise<void>;
  /** Between 0 and 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Bytes that are there, of how many where that is known. */
  readonly onProgress?: (have: number, total: number | undefined) => void;
}

export interface Downloaded {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** It is what the server says it is; undefined: the server does not say. */
  readonly verified: true | undefined;
  /** It went on from what an earlier try had left. */
  readonly resumed: boolean;
}

/** Connections that end without a byte more, in a row. */
const mostCuts = 4;

/**
 * Fetches a file. Until all of it is there and its hash is the server's, it is called `TARGET.part`, which the next try,
 * or the next run, goes on with where the server's ETag says that it is the same file still; so nothing ever stands under
 * the final name that is not whole. One at a time writes to a target.
 * @param expected its hash as known before, lower-case hex
 * @throws GovctlError unreachable, bad_answer, file_error, interrupted, or the server's own
 */
export async function download(
  deps: DownloadDeps,
  target: string,
  expected?: string,
): Promise<Downloaded> {
  const { files } = deps;
  const lock = `${target}.part.lock`;
  const isOurs = await files.claim(lock).catch((error: unknown) => {
    throw told(target, error);
  });
  if (!isOurs) throw underway(target, lock);
  try {
    return await fetchWhole(deps, target, expected);
  } finally {
    await files.remove(lock);
  }
}

async function fetchWhole(
  deps: DownloadDeps,
  target: string,
  expected: string | undefined,
): Promise<Downloaded> {
  const part = `${target}.part`;
  const note = `${target}.part.json`;
  const { files, signal } = deps;
  let begun = await readNote(files, part, note);
  const resumed = begun !== undefined;
  let mayResume = true;
  for (let cuts = 0; ;) {
    const before = begun?.have ?? 0;
    const got = await fetchOnce(deps, { part, note }, begun).catch((error: unknown) => {
      throw told(target, error);
    });
    begun = got.etag === undefined ? undefined : { etag: got.etag, have: got.have };
    if (signal.aborted) throw interrupted(part, got);
    if (!got.whole) {
      // What has to begin anew each time would go on for ever.
      cuts = got.etag !== undefined && got.have > before ? 1 : cuts + 1;
      if (cuts > mostCuts) throw cutTooOften(part, got);
      await deps.sleep(retryDelay(cuts, undefined, deps.random));
      continue;
    }
    const sha256 = await files.sha256(part);
    const wrong = [got.hash, expected].find((hash) => hash !== undefined && hash !== sha256);
    if (wrong === undefined) {
      await files.rename(part, target);
      await files.remove(note);
      const verified = (got.hash ?? expected) === undefined ? undefined : true;
      return { bytes: got.have, sha256, verified, resumed };
    }
    await files.remove(part);
    await files.remove(note);
    // What was there before may have been spoilt: all of it, once.
    if (!resumed || !mayResume) throw notTheSame(target, sha256, wrong);
    mayResume = false;
    begun = undefined;
  }
}

/** What is on the disk, and the tag of the file that it is a part of. */
interface Begun {
  readonly etag: string;
  readonly have: number;
}

interface Got {
  /** Bytes on the disk. */
  readonly have: number;
  readonly total: number | undefined;
  readonly whole: boolean;
  readonly etag: string | undefined;
  readonly hash: string | undefined;
}

async function readNote(files: PartFiles, part: string, note: string): Promise<Begun | undefined> {
  const [have, text] = [await files.size(part), await files.read(note)];
  if (!have || text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('etag' in value)) return undefined;
    return typeof value.etag === 'string' && /^"[\x21\x23-\x7e]*"$/.test(value.etag)
      ? { etag: value.etag, have }
      : undefined;
  } catch {
    return undefined; // half a note: the part is of no use
  }
}

async function fetchOnce(
  { fetchPart, files, onProgress, signal }: DownloadDeps,
  { part, note }: { readonly part: string; readonly note: string },
  begun: Begun | undefined,
): Promise<Got> {
  const answer = await fetchPart(
    begun ? { range: `bytes=${begun.have}-`, 'if-range': begun.etag } : {},
  );
  const range = answer.status === 206 ? contentRange(answer.headers) : undefined;
  const etag = strongTag(answer.headers);
  const isRest = range && range.from === begun?.have && (etag ?? begun.etag) === begun.etag;
  if (answer.status === 416 || (answer.status === 206 && !isRest)) {
    // There is no such rest of it: all of it, then.
    return { have: 0, total: undefined, whole: false, etag: undefined, hash: undefined };
  }
  const total = range ? range.total : wholeLength(answer.headers);
  const file = await files.open(part, range ? 'append' : 'anew');
  let have = range ? range.from : 0;
  let whole = false;
  try {
    if (etag !== undefined) await files.write(note, JSON.stringify({ etag }));
    else if (!range) await files.remove(note);
    onProgress?.(have, total);
    whole = await copy(answer.bytes, file, signal, (length) => {
      have += length;
      if (have > (total ?? mostUnsaid)) throw tooLong(total);
      onProgress?.(have, total);
    });
  } finally {
    await file.close();
  }
  whole &&= total === undefined || have === total;
  const [kept, hash] = [etag ?? begun?.etag, answeredHash(answer.headers)];
  return { have, total, whole, etag: kept, hash };
}

/** Whether it came to its end; a disk that takes no more is an error. */
async function copy(
  bytes: AsyncIterable<Uint8Array>,
  file: PartFile,
  signal: AbortSignal,
  wrote: (length: number) => void,
): Promise<boolean> {
  const source = bytes[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await source.next().catch(() => undefined); // cut
      if (next === undefined || signal.aborted) return false;
      if (next.done) return true;
      await file.write(next.value);
      wrote(next.value.length);
    }
  } finally {
    await source.return?.().catch(() => undefined);
  }
}

const goesOn = (part: string): { hint: string } => ({
  hint: `Run the same command again to resume from ${part}.`,
});

const soFar = ({ have, total }: Got): string =>
  total === undefined ? showSize(have) : `${showSize(have)} of ${showSize(total)}`;

const interrupted = (part: string, got: Got): GovctlError =>
  new GovctlError('interrupted', `Interrupted after ${soFar(got)}`, goesOn(part));

const underway = (target: string, lock: string): GovctlError =>
  new GovctlError('file_error', `Another download of ${target} is in progress`, {
    hint: `Wait for the download to finish, or use a different --out. If no download is running, remove ${lock}.`,
  });

const cutTooOften = (part: string, got: Got): GovctlError =>
  new GovctlError(
    'unreachable',
    `The download was interrupted repeatedly, last after ${soFar(got)}`,
    got.etag === undefined
      ? { hint: 'The server cannot resume downloads. Try again.' }
      : goesOn(part),
  );

/** Bytes of a file whose length the server does not say: it may send without end. */
const mostUnsaid = 4 * 1024 ** 3;

const tooLong = (total: number | undefined): GovctlError =>
  new GovctlError(
    'bad_answer',
    total === undefined
      ? `Received more than ${showSize(mostUnsaid)}, the maximum for a file of unknown size`
      : `Received more than the ${showSize(total)} that the server announced`,
  );

const notTheSame = (target: string, is: string, should: string): GovctlError =>
  new GovctlError(
    'bad_answer',
    `${target} was not written: its SHA-256 is ${is}, but the server reports ${should}`,
    { hint: 'Try again. If the error persists, a proxy may be changing the file.' },
  );

function told(target: string, error: unknown): unknown {
  if (error instanceof GovctlError) return error;
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const isFolderMissing = 'code' in error && error.code === 'ENOENT';
  return new GovctlError('file_error', `${target} could not be written: ${whyFileFailed(error)}`, {
    ...(isFolderMissing ? { hint: `Create the directory ${path.dirname(target)} first.` } : {}),
    cause: error,
  });
}
