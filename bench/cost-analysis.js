// Analysis of two years of cost: by the common fields beside the limit, by any other beside a bare pass over the same columns.
import { closeSync, fstatSync, openSync, readSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { importCost, send, writeFocusFile } from './cost-files.js';
import { median, startGovctl, tempFolder } from './harness.js';

export const title = 'analysis of cost';

const limitMs = 50;
/** Fields that have roll-ups. */
const common = ['provider', 'account', 'service', 'service_category', 'region', 'tag:team']; // prettier-ignore
/** And some that have none. */
const others = ['resource', 'account,service', 'resource,tag:team'];
/** What the columns of the files are called. */
const columnOf = (field) => (field === 'account' ? 'sub_account' : field);

const kinds = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f64: Float64Array }; // prettier-ignore

/** The months before this one, the latest first. */
function lastMonths(count) {
  const now = new Date();
  return Array.from({ length: count }, (_, n) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1 - n, 1))
      .toISOString()
      .slice(0, 7),
  );
}

/** The tables of a data folder, open. */
function openTables(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const file = openSync(path.join(entry.parentPath, entry.name));
      const { size } = fstatSync(file);
      const read = (start, end) => {
        const bytes = Buffer.alloc(end - start);
        readSync(file, bytes, 0, bytes.length, start);
        return bytes;
      };
      const [length, mark] =
        size < 8 ? [] : new Uint32Array(new Uint8Array(read(size - 8, size)).buffer);
      if (
        mark === undefined ||
        !read(size - 8, size)
          .subarray(4)
          .toString()
          .startsWith('CST')
      ) {
        closeSync(file);
        return [];
      }
      const index = JSON.parse(read(size - 8 - length, size - 8).toString());
      return [{ file, read, index }];
    });
}

/** Adds up the amounts of all rows by the codes of some columns, in doubles, with no filter, currency or exactness. */
function barePass(tables, fields) {
  let groups = 0;
  for (const { read, index } of tables) {
    const sizes = fields.map((field) => index.dictionaries[field].length);
    const sums = new Float64Array(sizes.reduce((all, size) => all * size, 1));
    for (const { rows, columns } of index.segments) {
      const column = (name) => {
        const place = columns[name];
        if (!place) return new Float64Array(rows);
        const Numbers = kinds[place.kind];
        const end = place.offset + rows * Numbers.BYTES_PER_ELEMENT;
        return new Numbers(new Uint8Array(read(place.offset, end)).buffer);
      };
      const codes = fields.map(column);
      const lanes = ['units', 'nanos', 'attos'].map((lane) => column(`effective.${lane}`));
      column('day');
      for (let row = 0; row < rows; row++) {
        let at = 0;
        for (let n = 0; n < codes.length; n++) at = at * sizes[n] + codes[n][row];
        sums[at] += lanes[0][row] + (lanes[1][row] + lanes[2][row] / 1e9) / 1e9;
      }
    }
    for (const sum of sums) if (sum !== 0) groups++;
  }
  return groups;
}

const timed = async (work) => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

export async function measure({ runs, rounds, port }) {
  const folder = tempFolder();
  const months = lastMonths(24);
  // A row for each resource and day.
  const perMonth = rounds === 1 ? 4_000 * 30 : 20_000 * 30;
  const server = await startGovctl(port);
  try {
    for (const month of months) {
      const file = path.join(folder, `${month}.csv.gz`);
      const part = { from: 0, to: perMonth, month, resources: perMonth / 30, every: 24 };
      await writeFocusFile(file, part);
      await importCost(server.url, [file]);
      rmSync(file);
    }
    // Anomalies and budgets are looked at after each import, in the background.
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    const range = `start=${months.at(-1)}-01&end=${new Date().toISOString().slice(0, 7)}-01&granularity=month`;
    const analyse = (fields, n) =>
      // Another page each time, so that no answer is kept.
      send(
        server.url,
        'GET',
        `/v1/cost/analysis?${range}&group_by=${fields}&limit=${5 + (n % 90)}`,
      );
    const timesOf = async (fields) => {
      for (let n = 0; n < 5; n++) await analyse(fields, n);
      const times = [];
      for (let n = 0; n < runs * 3; n++) times.push(await timed(() => analyse(fields, 5 + n)));
      return median(times);
    };
    const slowest = [];
    for (const fields of common) slowest.push([await timesOf(fields), fields]);
    slowest.sort(([a], [b]) => b - a);
    const [[worst, which]] = slowest;
    const tables = openTables(server.dataDir);
    const rows = [
      {
        figure: `two years of ${(24 * perMonth).toLocaleString('en-US')} rows by a common field (the slowest: ${which})`,
        ours: worst,
        theirs: limitMs,
        unit: 'ms',
        peer: 'limit',
        ratio: worst / limitMs,
        limit: { most: 1 },
      },
    ];
    for (const fields of others) {
      const names = fields.split(',').map(columnOf);
      const bare = [];
      for (let n = 0; n < runs + 2; n++) bare.push(await timed(() => barePass(tables, names)));
      const [ours, theirs] = [await timesOf(fields), median(bare.slice(2))];
      rows.push({
        figure: `the same by ${fields}`,
        ours,
        theirs,
        unit: 'ms',
        peer: 'a bare pass over the same columns',
        ratio: ours / theirs,
        limit: { most: 3 },
      });
    }
    for (const { file } of tables) closeSync(file);
    return rows;
  } finally {
    await server.stop();
    rmSync(server.dataDir, { recursive: true, force: true });
  }
}
