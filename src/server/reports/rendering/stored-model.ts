import type { Blobs, ByteRange } from '../../store/store.ts';
import type { Block, ReportModel, Row, Section, Table } from '../../../report/model.ts';

/** A table without its rows, and where those lie in the second blob. */
type StoredTable = Omit<Table, 'rows'> & { readonly bytes: ByteRange };
type StoredBlock = Exclude<Block, Table> | StoredTable;
type StoredSection = Omit<Section, 'blocks'> & { readonly blocks: readonly StoredBlock[] };
interface Outline {
  readonly head: ReportModel['head'];
  readonly sections: readonly StoredSection[];
}

/** Rows in one line of the second blob: what is in memory at once when they are read. */
const rowsInLine = 200;
/** Of a line, so that a blob that was not written here can't fill the memory. */
const longestLine = 64 * 1024 * 1024;
const newline = 10;

export interface SaveOptions {
  readonly signal: AbortSignal;
  /** Of all rows, from 0 to 1. */
  readonly onProgress: (part: number) => void;
}

/**
 * Keeps a model in two blobs: its outline as JSON, and the rows of all its tables as lines of JSON, some hundred rows
 * each. What fails leaves them to whoever gave `blobs`.
 * @param id what the ids of the blobs begin with
 * @returns their ids, for `openModel`
 */
export async function saveModel(
  model: ReportModel,
  blobs: Pick<Blobs, 'create'>,
  id: string,
  { signal, onProgress }: SaveOptions,
): Promise<readonly string[]> {
  const ids = [`${id}.outline.json`, `${id}.rows.ndjson`] as const;
  const writer = await blobs.create(ids[1]);
  const tables = model.sections.flatMap(({ blocks }) => blocks.filter(isTable));
  const expected = Math.max(
    1,
    tables.reduce((sum, { rowCount }) => sum + rowCount, 0),
  );
  let written = 0;
  let at = 0;
  const saveTable = async ({ rows, ...table }: Table): Promise<StoredTable> => {
    const start = at;
    let rowCount = 0;
    for await (const batch of rows()) {
      signal.throwIfAborted();
      for (const line of linesOf(batch)) {
        at += line.byteLength;
        await writer.write(line);
      }
      rowCount += batch.length;
      written += batch.length;
      onProgress(Math.min(1, written / expected));
    }
    return { ...table, rowCount, bytes: { start, end: at } };
  };
  const sections: StoredSection[] = [];
  for (const section of model.sections) {
    const blocks: StoredBlock[] = [];
    for (const block of section.blocks) {
      blocks.push(isTable(block) ? await saveTable(block) : block);
    }
    sections.push({ ...section, blocks });
  }
  const outline: Outline = { head: model.head, sections };
  const first = await blobs.create(ids[0]);
  await first.write(Buffer.from(JSON.stringify(outline)));
  // Each waits for the disk.
  await Promise.all([writer.finish(), first.finish()]);
  return ids;
}

const isTable = (block: Block): block is Table => block.kind === 'table';

function* linesOf(rows: readonly Row[]): Generator<Uint8Array> {
  for (let from = 0; from < rows.length; from += rowsInLine) {
    yield Buffer.from(`${JSON.stringify(rows.slice(from, from + rowsInLine))}\n`);
  }
}

/** Opens what `saveModel` has kept. Rows are read as they are asked for. @throws Error where it is not there */
export async function openModel(
  blobs: Pick<Blobs, 'read'>,
  ids: readonly string[],
): Promise<ReportModel> {
  const [outlineId, rowsId] = ids;
  if (outlineId === undefined || rowsId === undefined) throw new Error('the model is not stored');
  const chunks: Uint8Array[] = [];
  for await (const chunk of blobs.read(outlineId)) chunks.push(chunk);
  // Written above; nothing else has had it.
  const { head, sections } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Outline;
  const open = (block: StoredBlock): Block => {
    if (block.kind !== 'table') return block;
    const { bytes, ...table } = block;
    return { ...table, rows: () => readRows(blobs, rowsId, bytes) };
  };
  return {
    head,
    sections: sections.map((section) => ({ ...section, blocks: section.blocks.map(open) })),
  };
}

async function* readRows(
  blobs: Pick<Blobs, 'read'>,
  id: string,
  range: ByteRange,
): AsyncGenerator<readonly Row[]> {
  if (range.end === range.start) return;
  for await (const line of linesIn(blobs.read(id, range))) {
    yield JSON.parse(line) as readonly Row[]; // written above
  }
}

/** Whole lines, each without its end. */
async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      parts.push(chunk.subarray(from, at));
      yield Buffer.concat(parts).toString('utf8');
      [parts, length, from] = [[], 0, at + 1];
    }
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > longestLine) throw new Error('a line of the stored model is incomplete');
  }
  if (length > 0) throw new Error('the stored model is truncated');
}
