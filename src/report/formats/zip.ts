export interface ZipEntry {
  /** With `/` between folders. */
  readonly name: string;
  /** Hands over its bytes, one chunk after another. */
  readonly write: (write: (chunk: Uint8Array) => Promise<void>) => Promise<void>;
}

export interface ZipOptions {
  /** Encrypts with AES-256 (WinZip AE-2). */
  readonly password?: string;
  /** ISO 8601: when its entries were made. A ZIP knows no zones: it shows UTC. */
  readonly modified: string;
  readonly signal: AbortSignal;
}

/**
 * Writes entries into a ZIP, one after another, holding none of them as a whole. Without a password the same entries give
 * the same bytes.
 * @throws what an entry, or `write`, throws, and the reason of `signal` where it is aborted
 */
export async function writeZip(
  entries: Iterable<ZipEntry>,
  write: (chunk: Uint8Array) => Promise<void>,
  { password, modified, signal }: ZipOptions,
): Promise<void> {
  const { ZipWriter } = await import('@zip.js/zip.js');
  const sink = new WritableStream<Uint8Array>({ write });
  const zip = new ZipWriter(sink, {
    useWebWorkers: false,
    extendedTimestamp: false,
    // Excel opens none that is made for more than 4 GiB.
    zip64: false,
    lastModDate: clockTime(modified),
    ...(password !== undefined && { password, encryptionStrength: 3 }),
  });
  for (const entry of entries) {
    signal.throwIfAborted();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    // Both: what fails first says why, and neither goes on alone.
    await Promise.all([
      pour(entry, writable, signal),
      zip.add(entry.name, readable).catch(async (error: unknown) => {
        await readable.cancel(error).catch(() => undefined);
        throw error;
      }),
    ]);
  }
  await zip.close();
}

async function pour(
  entry: ZipEntry,
  writable: WritableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const writer = writable.getWriter();
  try {
    await entry.write(async (chunk) => {
      signal.throwIfAborted();
      await writer.ready;
      await writer.write(chunk);
    });
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    throw error;
  }
}

/** A local time that looks like this one does in UTC: the library writes local times. */
function clockTime(iso: string): Date {
  const time = new Date(iso);
  return new Date(
    time.getUTCFullYear(),
    time.getUTCMonth(),
    time.getUTCDate(),
    time.getUTCHours(),
    time.getUTCMinutes(),
    time.getUTCSeconds(),
  );
}
