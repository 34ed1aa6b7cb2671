import { DuckDBInstance } from '@duckdb/node-api';

export interface Duck {
  readonly run: (sql: string) => Promise<void>;
  /** The rows of a query, each value as text. */
  readonly rows: (sql: string) => Promise<readonly (readonly string[])[]>;
  readonly close: () => void;
}

/** A database in memory: computes what the product must, too, and writes files of formats that it reads. */
export async function openDuck(): Promise<Duck> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  await connection.run(`SET TimeZone = 'UTC'`);
  return {
    async run(sql) {
      await connection.run(sql);
    },
    async rows(sql) {
      const reader = await connection.runAndReadAll(sql);
      return reader.getRows().map((row) => row.map((value) => String(value ?? '')));
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
