import { inThrees } from '../contract/in-threes.ts';
import { field, isFields, itemsOf, textOf } from './json.ts';
import type { DocumentProblem } from './model.ts';

/** What the answers of APIs call the way to their next page, and reports of a list that was cut. */
const names = [
  'nextLink',
  '@odata.nextLink',
  'skipToken',
  '$skipToken',
  'skip_token',
  'nextPageToken',
  'next_page_token',
  'NextToken',
  'nextToken',
  'next_cursor',
] as const;

/** What AWS Config calls resources that it did not get to. */
const unprocessed = ['unprocessedResourceKeys', 'UnprocessedResourceIdentifiers'];

/** What answers call the number of all rows, of which a page has some. */
const totals = ['total_records', 'totalRecords', 'totalCount', 'total_count', 'totalSize', 'total'];

/** What answers call their rows. */
const lists = ['data', 'value', 'resources', 'assets', 'results', 'items'];

/**
 * Where the document is one page of a list, also inside `pagination` or a recording's `body`: half an inventory may pass
 * for all of it. The last page has no way to a next one, but it may say how many rows there are.
 */
export function noticesOfPages(document: unknown): DocumentProblem[] {
  if (!isFields(document)) return [];
  for (const name of unprocessed) {
    const keys = itemsOf(field(document, name));
    if (keys.length === 0) continue;
    const message = `this answer lacks ${inThrees(keys.length)} of the resources that were asked for (${name}); ask for them again, and pass that answer, too`;
    return [{ message, at: [name] }];
  }
  if (String(field(document, 'resultTruncated')).toLowerCase() === 'true') {
    const message = 'this list was cut (resultTruncated); ask again for fewer resources at a time';
    return [{ message, at: ['resultTruncated'] }];
  }
  const body = field(document, 'body');
  for (const [part, at, holder] of [
    [document, [], document],
    [field(document, 'pagination'), ['pagination'], document],
    [body, ['body'], body],
  ] as const) {
    const token = names.find((one) => textOf(field(part, one)) !== undefined);
    const why =
      token === undefined ? describeMissing(part, holder) : { name: token, text: `has ${token}` };
    if (!why) continue;
    const message = `this is one page of a longer list (it ${why.text}); to check all resources, pass the other pages, too`;
    return [{ message, at: [...at, why.name] }];
  }
  return [];
}

/** The name of the total where it is more than the rows of the holder, and both numbers. */
function describeMissing(
  part: unknown,
  holder: unknown,
): { readonly name: string; readonly text: string } | undefined {
  const rows = lists.map((one) => field(holder, one)).find(Array.isArray);
  const name = totals.find((one) => Number.isInteger(field(part, one)));
  if (!rows || name === undefined) return undefined;
  const total = Number(field(part, name));
  if (total <= rows.length) return undefined;
  return { name, text: `has ${inThrees(rows.length)} of ${inThrees(total)} rows` };
}
