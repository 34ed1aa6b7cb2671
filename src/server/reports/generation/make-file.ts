import { defined } from '../../../contract/defined.ts';
import type { ReportFormat } from '../../../contract/reports.ts';
import type { Deps } from '../../deps.ts';
import { archiveType, fileNameOf, fileTypes } from '../../../report/formats/file-types.ts';
import { RenderFault } from '../../../report/formats/render-fault.ts';
import { isArchived } from '../../../report/formats/render-file.ts';
import type { RenderStored } from '../rendering/render-stored.ts';
import { signDigest } from '../../../report/sign/detached-signature.ts';
import type { Rendered, Signer } from '../../../report/formats/render.ts';
import type { Blobs } from '../../store/store.ts';
import type { StoredFile, StoredReport } from '../collection.ts';

export interface FileMaker {
  readonly render: RenderStored;
  /** What signs; made at first use. */
  readonly signer: () => Promise<Signer>;
}

export interface FileOrder {
  readonly report: StoredReport;
  readonly format: ReportFormat;
  /** The ids of the stored model's blobs. */
  readonly model: readonly string[];
  /** What takes the file. */
  readonly into: Pick<Blobs, 'create'>;
  /** What the ids of its blobs begin with. */
  readonly prefix: string;
  readonly signal: AbortSignal;
  /** Of the model's bytes, as they are read. */
  readonly onRead?: (bytes: number) => void;
  /** Somebody waits for it. */
  readonly isAwaited?: boolean;
}

/** Renders a report in one format into a blob, protected and signed as it was asked for. */
export async function makeFile(
  deps: Deps,
  { render, signer }: FileMaker,
  { report, format, model, into, prefix, signal, onRead, isAwaited }: FileOrder,
): Promise<{ readonly file: StoredFile; readonly rendered: Rendered }> {
  const { watermark, sign } = report.security ?? {};
  const password = passwordOf(deps, report);
  const signs = sign === true ? await signer() : undefined;
  const filename = `${fileNameOf(report.name)}${fileTypes[format].extension}`;
  const type = isArchived({ format, ...password }) ? archiveType : fileTypes[format];
  const blob = `${prefix}.${format}`;
  const writer = await into.create(blob);
  const rendered = await render({
    blobs: { read: (id, range) => counted(deps.store.blobs.read(id, range), onRead) },
    model,
    options: {
      format,
      filename,
      ...password,
      ...defined({ watermark }),
      ...(signs && format === 'pdf' ? { signer: signs } : {}),
      random: deps.random,
    },
    write: (chunk) => writer.write(chunk),
    signal,
    ...(isAwaited === true ? { isAwaited } : {}),
  });
  const { size, sha256 } = await writer.finish();
  const file: StoredFile = {
    format,
    filename: type === archiveType ? `${filename}${archiveType.extension}` : filename,
    media_type: type.mediaType,
    blob,
    size,
    sha256,
  };
  if (!signs || format === 'pdf') return { file, rendered };
  const at = new Date(deps.clock.now());
  const signature = await keep(
    into,
    `${blob}.sig`,
    signDigest(Buffer.from(sha256, 'hex'), at, signs),
  );
  return { file: { ...file, signature }, rendered };
}

/** @throws RenderFault where it was sealed with another key */
function passwordOf({ secrets }: Deps, { id, security }: StoredReport): { password?: string } {
  if (security?.password === undefined) return {};
  try {
    return { password: secrets.open(security.password, id) };
  } catch {
    throw new RenderFault(
      'The password of this report cannot be decrypted with the current key of the service; create the report again',
    );
  }
}

async function keep(
  into: Pick<Blobs, 'create'>,
  blob: string,
  bytes: Uint8Array,
): Promise<{ readonly blob: string; readonly size: number }> {
  const writer = await into.create(blob);
  await writer.write(bytes);
  await writer.finish();
  return { blob, size: bytes.byteLength };
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  onRead: ((bytes: number) => void) | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    onRead?.(chunk.byteLength);
    yield chunk;
  }
}
