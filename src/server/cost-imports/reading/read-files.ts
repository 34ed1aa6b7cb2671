import type { ReadFile } from '../../../contract/cost-imports.ts';
import { DateOrder, SlashedDates } from '../../../cost/focus/dates.ts';
import type { SlashedFormat } from '../../../cost/focus/dates.ts';
import { RecordReader } from '../../../cost/focus/reader.ts';
import type { RecordReaderOptions } from '../../../cost/focus/reader.ts';
import type { Cells } from '../../../cost/read/cells.ts';
import { CsvReader } from '../../../cost/read/csv.ts';
import { NdjsonReader } from '../../../cost/read/ndjson.ts';
import { ParquetFile } from '../../../cost/read/parquet.ts';
import { ReadError } from '../../../cost/read/place.ts';
import { nextTurn } from '../../next-turn.ts';
import { rangesOf } from '../../store/blob-ranges.ts';
import type { BlobWriter } from '../../store/store.ts';
import { Charges } from './charges.ts';
import { FileFault } from './job.ts';
import type { ReadCharges, ReadFiles, ReadJob, ReadingOptions } from './job.ts';
import { mostBytes, openFile, pageCodecs } from './open-file.ts';
import type { OpenedFile } from './open-file.ts';
import { writePeriods } from './write-periods.ts';

const bothFit = (date: string): string =>
  `the date ${date} fits both MM/DD/YYYY and DD/MM/YYYY, as do all other dates in the file; pass --date-format (date_format)`;

/**
 * Reads the files of an import, in two passes: rows go with codes for their texts to a spool, by period and day; then each day
 * is added up and written. Memory does not grow with the rows.
 * @throws FileFault; the reason of the signal
 */
export const readFiles: ReadFiles = async (job, options) => {
  const charges = new Charges(job.tags, job.skipRejected);
  const spool = spoolTo(options, `${job.blobPrefix}.spool`);
  try {
    const reading = new Reading(job, options, charges, spool);
    for (const file of job.files) await reading.read(file);
    return await inFile(undefined, async (): Promise<ReadCharges> => {
      const [currencies, periods] = charges.isRefused
        ? [[], []]
        : await writePeriods(job, options, charges, await spool.end(charges));
      return {
        files: reading.files,
        rows: charges.rows,
        rejected: charges.rejected,
        rejected_rows: charges.rejectedRows,
        rounded: reading.rounded,
        currencies,
        periods,
      };
    });
  } finally {
    await spool.abandon();
  }
};

/** Adds the file to what a reader says. */
async function inFile<T>(file: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    throw new FileFault({
      reason: error.message,
      ...(file === undefined ? {} : { file }),
      ...error.place,
    });
  }
}

interface SpoolFile {
  readonly drain: (charges: Charges) => Promise<void>;
  /** @returns the ID of the blob; undefined: nothing was written */
  readonly end: (charges: Charges) => Promise<string | undefined>;
  readonly abandon: () => Promise<void>;
}

function spoolTo({ blobs }: ReadingOptions, id: string): SpoolFile {
  let writer: BlobWriter | undefined;
  const write = async (bytes: Uint8Array | undefined): Promise<void> => {
    if (bytes) await (writer ??= await blobs.create(id)).write(bytes);
  };
  return {
    drain: ({ spool }) => write(spool.drain()),
    async end({ spool }) {
      await write(spool.drain(true));
      if (!writer) return undefined;
      await writer.finish();
      writer = undefined;
      return id;
    },
    async abandon() {
      await writer?.abandon();
    },
  };
}

class Reading {
  readonly files: ReadFile[] = [];
  rounded = 0;
  /** Bytes of the files before the one at hand; decompressed ones of all. */
  private before = 0;
  private decompressed = 0;

  constructor(
    private readonly job: ReadJob,
    private readonly options: ReadingOptions,
    private readonly charges: Charges,
    private readonly spool: SpoolFile,
  ) {}

  async read(file: ReadJob['files'][number]): Promise<void> {
    await inFile(file.name, async () => {
      const { rejected, rejectedRows, rows } = this.charges;
      const shown = rejectedRows.length;
      try {
        await this.readAs(file, this.job.dateFormat);
      } catch (error) {
        if (!(error instanceof SlashedDates)) throw error;
        // It comes with the first date: no row was taken yet, but some may have been rejected.
        Object.assign(this.charges, { rejected, rows });
        rejectedRows.length = shown;
        await this.readAs(file, await this.orderOf(file));
      }
    });
    this.before += file.size;
  }

  private async readAs(
    file: ReadJob['files'][number],
    dateFormat: SlashedFormat | undefined,
  ): Promise<void> {
    const { charges } = this;
    const before = charges.rows + charges.rejected;
    const { tags, lastPeriod } = this.job;
    const { dictionaries } = charges;
    const readerOptions = { tags, dictionaries, dateFormat, lastPeriod };
    const { format, compressed, reader } = await this.eachRow(file, readerOptions, (own, row) => {
      const record = own.read(row);
      if ('message' in record) charges.reject(file.name, record, row, own);
      else charges.add(record, row);
    });
    const { dialect, used, unmapped } = reader.understood;
    this.rounded += reader.rounded;
    this.files.push({
      file: file.name,
      format: format.kind,
      compressed,
      dialect,
      rows: charges.rows + charges.rejected - before,
      columns: Object.fromEntries(
        Object.entries(used).map(([source, columns]) => [source, [...columns]]),
      ),
      unmapped: [...unmapped],
    });
  }

  /** The order of the dates with slashes of a file. @throws ReadError both fit */
  private async orderOf(file: ReadJob['files'][number]): Promise<SlashedFormat> {
    const order = new DateOrder();
    const { dictionaries } = this.charges;
    let first: ReadError | undefined;
    await this.eachRow(file, { tags: [], dictionaries }, (reader, row) => {
      for (const [text, field] of reader.datesOf(row)) {
        if (order.see(text)) first ??= new ReadError(bothFit(text), row.place(field));
      }
    });
    const { format } = order;
    if (format !== undefined) return format;
    throw first ?? new SlashedDates();
  }

  /** Reads all rows of a file. */
  private async eachRow(
    file: ReadJob['files'][number],
    readerOptions: RecordReaderOptions,
    onRow: (reader: RecordReader, row: Cells) => void,
  ): Promise<Pick<OpenedFile, 'format' | 'compressed'> & { readonly reader: RecordReader }> {
    const { blobs } = this.options;
    let bytes = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of blobs.read(file.blob)) {
        bytes += chunk.length;
        yield chunk;
      }
    };
    const { format, compressed, chunks } = await openFile(counted());
    let reader: RecordReader | undefined;
    if (format.kind === 'parquet') {
      const parquet = await ParquetFile.open(rangesOf(blobs, file.blob), file.size, pageCodecs);
      const own = new RecordReader(parquet.header(), readerOptions);
      reader = own;
      await parquet.rows(
        own.fieldsRead,
        (row) => onRow(own, row),
        (size) => {
          this.count(size);
          return this.pause(file.size);
        },
      );
    } else {
      const take = (row: Cells): void => {
        if (reader) onRow(reader, row);
        else reader = new RecordReader(row, readerOptions);
      };
      const rows =
        format.kind === 'csv'
          ? new CsvReader({ delimiter: format.delimiter, onRow: take })
          : new NdjsonReader({ onRow: take });
      for await (const chunk of chunks) {
        this.count(chunk.length);
        rows.push(chunk);
        await this.pause(bytes);
      }
      rows.end();
    }
    await this.pause(file.size);
    if (!reader) throw new ReadError('has no rows');
    return { format, compressed, reader };
  }

  /** @throws ReadError more decompressed bytes than an import may have */
  private count(bytes: number): void {
    this.decompressed += bytes;
    if (this.decompressed > mostBytes) {
      throw new ReadError('the files have more than 64 GiB; import them a month at a time');
    }
  }

  /** @param bytes of the file at hand that were read */
  private async pause(bytes: number): Promise<void> {
    const { tell, signal } = this.options;
    const { charges, before } = this;
    charges.checkSize();
    await this.spool.drain(charges);
    tell({ bytes: before + bytes, rows: charges.rows });
    signal.throwIfAborted();
    await nextTurn();
  }
}
