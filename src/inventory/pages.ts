import { field, isFields, textOf } from './json.ts';
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

/** Where the document is one page of a list, also inside `pagination` or a recording's `body`: half an inventory may pass for all of it. */
export function noticesOfPages(document: unknown): DocumentProblem[] {
  if (!isFields(document)) return [];
  for (const [part, at] of [
    [document, []],
    [field(document, 'pagination'), ['pagination']],
    [field(document, 'body'), ['body']],
  ] as const) {
    const name = names.find((one) => textOf(field(part, one)) !== undefined);
    if (name === undefined) continue;
    return [
      {
        message: `this is one page of a longer list (it has ${name}); to check all resources, pass the other pages, too`,
        at: [...at, name],
      },
    ];
  }
  return [];
}
