import type { CostImport, ImportedPeriod, RejectedRow } from '../../contract/cost-imports.ts';
import { GovctlError } from '../../contract/errors.ts';
import { showMoney } from '../../contract/money.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';
import { count, inThrees, listWords, printableLine } from '../terminal/printable.ts';
import { formatTable, numberColumn } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';

/** Lines for people; the rest is in the other formats. */
const mostShown = 20;

/** @param columns of the terminal */
export const costImportView = (done: CostImport, columns: number): View => ({
  value: done,
  human: (style) => describeImport(done, style, columns),
});

export function describeImport(done: CostImport, style: Style, columns: number): string {
  const { result, status, dry_run: isDryRun, files } = done;
  const read = result && isDryRun ? filesText(result.files, style, columns) : '';
  const rejected = (result?.rejected_rows ?? [])
    .slice(0, mostShown)
    .map((row) => `${style.red('rejected')} ${rejectedText(row)}`);
  const more = (result?.rejected ?? 0) - rejected.length;
  if (more > 0) rejected.push(`... and ${inThrees(more)} more`);
  if (status !== 'completed' || !result) {
    const ended = status === 'failed' ? [] : [status];
    return `${read}${[...rejected, ...ended].map((line) => `${line}\n`).join('')}`;
  }
  const { added, replaced, unchanged } = result.changes;
  const changes = [
    [added, 'added'],
    [replaced, 'replaced'],
    [unchanged, 'unchanged'],
  ] as const;
  const words = changes.flatMap(([amount, word]) =>
    amount > 0 ? [`${inThrees(amount)} ${word}`] : [],
  );
  const head = `${style.green(isDryRun ? 'Would import' : 'Imported')} ${inThrees(result.rows)} ${result.rows === 1 ? 'row' : 'rows'} from ${count(files.length, 'file')}: billing periods ${listWords(words)}`;
  const table = formatTable(
    result.periods.slice(0, mostShown),
    [
      { title: 'PROVIDER', cell: ({ provider }) => provider, drops: 2 },
      { title: 'ACCOUNT', cell: (one) => one.billing_account, shrinks: 'middle' },
      { title: 'PERIOD', cell: ({ period }) => period },
      { title: 'CHANGE', cell: ({ change }) => change },
      numberColumn('ROWS', ({ rows }) => rows, { drops: 3 }),
      { title: 'BEFORE', cell: (one) => billed(one.totals_before), isRight: true, drops: 1 },
      { title: 'BILLED', cell: (one) => billed(one.totals), isRight: true },
    ],
    style,
    columns,
  );
  const left = added + replaced + unchanged - Math.min(mostShown, result.periods.length);
  return [
    read,
    ...rejected.map((line) => `${line}\n`),
    `${head}\n`,
    ...(result.rejected > 0
      ? [`${count(result.rejected, 'row')} skipped: their billing periods are incomplete\n`]
      : []),
    ...(result.rounded > 0
      ? [`${count(result.rounded, 'amount')} rounded to 18 decimal places\n`]
      : []),
    ...((result.expired ?? 0) > 0 ? [`${style.yellow(expiredText(result.expired ?? 0))}\n`] : []),
    `\n${table}`,
    ...(left > 0 ? [`... and ${inThrees(left)} more\n`] : []),
  ].join('');
}

const expiredText = (periods: number): string =>
  `${count(periods, 'billing period')} ${periods === 1 ? 'is' : 'are'} older than the server keeps cost data (retention.cost of its --config file) and will be removed`;

type ReadFile = NonNullable<CostImport['result']>['files'][number];

/** What files were read as; files with the same columns share a list of them. */
function filesText(files: readonly ReadFile[], style: Style, columns: number): string {
  const alike = new Map<string, readonly ReadFile[]>();
  for (const file of files) {
    const { dialect, columns: used, unmapped } = file;
    const key = JSON.stringify([dialect, used, unmapped]);
    alike.set(key, [...(alike.get(key) ?? []), file]);
  }
  return [...alike.values()]
    .map((some) => {
      const heads = some.slice(0, -1).map((one) => `${style.bold(printableLine(headOf(one)))}\n`);
      return `${heads.join('')}${some
        .slice(-1)
        .map((last) => fileText(last, style, columns))
        .join('')}`;
    })
    .join('');
}

const headOf = (file: ReadFile): string =>
  `${file.file}: ${file.dialect}, ${file.format}${file.compressed ? ' in gzip' : ''}, ${count(file.rows, 'row')}`;

const fileText = (file: ReadFile, style: Style, columns: number): string =>
  formatDetails(
    headOf(file),
    [
      ...Object.entries(file.columns).map(
        ([value, names]) => [value, names.join(', else ')] as const,
      ),
      ['not used', file.unmapped.join(', ')],
    ],
    style,
    columns,
  );

const rejectedText = ({ file, line, column, field, reason }: RejectedRow): string => {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const what = field === undefined || field === '' ? reason : `${field} ${reason}`;
  return `${printableLine(place)}  ${printableLine(what)}`;
};

/** What an import failed by. */
export function importError({ failure, result }: CostImport): GovctlError {
  return new GovctlError('usage_error', failureText(failure), {
    ...((result?.rejected ?? 0) > 0
      ? { hint: 'Correct the rejected rows, or pass --skip-rejected to import the others.' }
      : {}),
  });
}

export function failureText(failure: CostImport['failure']): string {
  if (!failure) return 'The import failed';
  const { file, line, column, reason } = failure;
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return printableLine(place === '' ? reason : `${place} ${reason}`);
}

const billed = (totals: ImportedPeriod['totals'] = []): string =>
  totals.map(({ currency, billed: amount }) => showMoney(amount, currency)).join(', ');
