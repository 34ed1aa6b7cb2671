import * as z from 'zod';
import type { Client } from '../../client/client.ts';
import { fillPath } from '../../client/client.ts';
import { absentIfOdd } from '../../client/objects.ts';
import { durationForms, parseDuration } from '../../contract/duration.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { linkLifetime } from '../../contract/report-downloads.ts';
import { parseToFirstIssue } from '../../contract/parse-to-first-issue.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { Context } from '../context.ts';
import { formatDetails } from '../terminal/details.ts';
import { askOurServer } from '../objects/our-server.ts';
import { printableLine } from '../terminal/printable.ts';
import { formatTable, numberColumn } from '../terminal/table.ts';
import { formatsOf } from './download/download-report.ts';
import { lookUp } from '../objects/get.ts';
import { shownWithUsers } from '../objects/shown-by.ts';
import { reports } from './reports.ts';
import { parseFormats } from './report-fields.ts';
import type { ShownReport } from './report-objects.ts';
import { nameOf } from './report-objects.ts';

export interface LinkOptions {
  readonly args: readonly [string];
  readonly format?: readonly string[];
  readonly expires?: string;
  readonly list?: boolean;
  readonly revoke?: string;
}

/** Makes a temporary address of a report's file, lists those there are, or ends one. */
export async function runLink(context: Context, options: LinkOptions): Promise<ExitCode> {
  const { format, expires, list, revoke } = options;
  const seconds = expires === undefined ? linkLifetime.default : parseSeconds(expires);
  const [asked, second] = format ? parseFormats(format) : [];
  if (second !== undefined)
    throw new GovctlError('usage_error', 'Use a single --format for a link');
  if ((list || revoke !== undefined) && (format ?? expires) !== undefined) {
    throw new GovctlError('usage_error', 'Use --format and --expires only to create a link');
  }
  const { client, item: report } = await lookUp(context, reports, options.args[0]);
  if (list) return showLinks(context, report);
  if (revoke !== undefined) return revokeLink(context, client, report, revoke);
  const wanted = asked ?? formatsOf(report)[0] ?? 'pdf';
  const link = await context.progress('Creating share link', () =>
    createLink(client, report, { format: wanted, expires_in: seconds }),
  );
  await context.show({
    value: link,
    isSecret: true,
    human: (style) =>
      `${formatDetails(
        `${nameOf(report)}, ${link.format ?? wanted}`,
        [
          ['link', link.id],
          ['expires', utcMinute(link.expires_at)],
          ['SHA-256', link.sha256],
        ],
        style,
      )}${printableLine(link.url)}\n`,
  });
  await context.say('Anyone with this link can download the file until the link expires.');
  return exitCodes.ok;
}

/** The description shows no body for this answer: an address is all that must be there. */
const AnyLink = z.looseObject({
  url: z.string(),
  id: absentIfOdd(z.string()),
  format: absentIfOdd(z.string()),
  expires_at: absentIfOdd(z.string()),
  sha256: absentIfOdd(z.string()),
});

async function createLink(
  client: Client,
  report: ShownReport,
  body: { readonly format: string; readonly expires_in: number },
): Promise<z.infer<typeof AnyLink>> {
  const path = fillPath('/v1/reports/:report_id/download-link', { report_id: report.id });
  const answer = await client.transport.send('POST', path, {
    body: JSON.stringify(body),
    // One that nobody has seen harms nobody, but it would stand in the list.
    repeatable: false,
  });
  const text = await answer.text();
  const parsed = parseToFirstIssue(AnyLink, jsonOf(text));
  if (parsed.success) return parsed.data;
  throw new GovctlError('bad_answer', `POST ${path} returned no URL`, {
    hint: 'To see the response from the server, use `govctl api`.',
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // reported as a response without a URL
  }
}

/** @throws GovctlError usage_error */
function parseSeconds(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= 1_000) return Math.floor(ms / 1_000);
  throw new GovctlError('usage_error', `--expires ${text}: must be a duration, ${durationForms}`);
}

async function showLinks(context: Context, report: ShownReport): Promise<ExitCode> {
  const links = report.sharing?.links;
  if (links === undefined) {
    throw new GovctlError('not_found', 'This server does not support listing share links');
  }
  const creators = links.map(({ created_by: by }) => by);
  const { room, userName } = await shownWithUsers(context, creators);
  await context.show({
    value: { report_id: report.id, links },
    rows: () => links,
    human: (style) =>
      links.length === 0
        ? ''
        : formatTable(
            links,
            [
              { title: 'LINK', cell: ({ id }) => id },
              { title: 'FORMAT', cell: ({ format }) => format ?? '-' },
              { title: 'EXPIRES', cell: ({ expires_at: at }) => utcMinute(at) ?? '-' },
              numberColumn('DOWNLOADS', ({ downloads }) => downloads, { drops: 2 }),
              { title: 'BY', cell: ({ created_by: by }) => (by ? userName(by) : '-'), drops: 1 },
            ],
            style,
            room,
          ),
  });
  if (links.length === 0) await context.say('No active share links.');
  return exitCodes.ok;
}

async function revokeLink(
  context: Context,
  client: Client,
  report: ShownReport,
  id: string,
): Promise<ExitCode> {
  await askOurServer('revoking share links', () =>
    context.progress('Revoking share link', () =>
      client.reports.revokeLink({ params: { report_id: report.id, link_id: id } }),
    ),
  );
  await context.show({
    value: { revoked: id, report_id: report.id },
    human: (style) => `${style.green('Revoked')} ${printableLine(id)}\n`,
  });
  return exitCodes.ok;
}
