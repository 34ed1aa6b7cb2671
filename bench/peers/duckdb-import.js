// Reads CSV files of FOCUS into a DuckDB table, added up by day and by all that they are grouped by, on disk. It may take 1 GB of memory:
// with 250 MB it does not always finish. Prints CPU seconds and peak MiB.
// node duckdb-import.js DATABASE FILE...
import { DuckDBInstance } from '@duckdb/node-api';

const [database, ...files] = process.argv.slice(2);
const instance = await DuckDBInstance.create(database, { threads: '2', memory_limit: '1GB' });
const connection = await instance.connect();
const before = process.cpuUsage();
const texts = [
  'ProviderName', 'BillingAccountId', 'SubAccountId', 'ServiceName', 'ServiceCategory',
  'ChargeCategory', 'RegionId', 'ResourceId', 'BillingCurrency',
]; // prettier-ignore
const tags = ['team', 'environment'].map(
  (tag) => `json_extract_string(Tags, '$.${tag}') AS ${tag}`,
);
const sums = ['BilledCost', 'EffectiveCost', 'ListCost', 'ConsumedQuantity'].map(
  (column) => `sum(${column}::DECIMAL(38, 18)) AS ${column}`,
);
await connection.run(
  `CREATE TABLE charges AS SELECT ChargePeriodStart[:10]::DATE AS day, BillingPeriodStart[:7] AS period, ${[...texts, ...tags, ...sums].join(', ')}
   FROM read_csv([${files.map((file) => `'${file}'`).join(', ')}], header = true, all_varchar = true)
   GROUP BY ALL ORDER BY day`,
);
await connection.run('CHECKPOINT');
const { user, system } = process.cpuUsage(before);
console.log(
  JSON.stringify({ cpu: (user + system) / 1e6, peak: process.resourceUsage().maxRSS / 1024 }),
);
