import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HandlerInput } from '../../../contract/endpoint.ts';
import { GovctlError } from '../../../contract/errors.ts';
import type { ReportLink } from '../../../contract/report-answers.ts';
import type { downloads } from '../../../contract/report-downloads.ts';
import type { Deps } from '../../deps.ts';
import { timestamp } from '../../deps.ts';
import { serverState } from '../../keys/collection.ts';
import { allRows, countRows } from '../../store/all-rows.ts';
import { removeRows } from '../../store/remove-rows.ts';
import type { Reader, Store, Tx } from '../../store/store.ts';
import { reportDownloads, reportLinks } from './collection.ts';
import type { StoredLink } from './collection.ts';

/** Under which the server keeps the key that links are signed with. */
const keyId = 'report_links';

/** Undefined: there is none that can be read, so nothing it ever signed is good. */
async function readKey({ secrets }: Deps, reader: Reader): Promise<Buffer | undefined> {
  const found = await reader.get(serverState, keyId);
  if (!found) return undefined;
  try {
    return Buffer.from(secrets.open(found.doc.value, keyId), 'base64url');
  } catch {
    return undefined; // sealed with an earlier key of the server
  }
}

/** The key that links are signed with; made with the first of them. */
async function ensureKey(deps: Deps, tx: Tx): Promise<Buffer> {
  const known = await readKey(deps, tx);
  if (known) return known;
  const key = Buffer.from(deps.random(32));
  const doc = { id: keyId, value: deps.secrets.seal(key.toString('base64url'), keyId) };
  await ((await tx.get(serverState, keyId))
    ? tx.replace(serverState, doc)
    : tx.insert(serverState, doc));
  return key;
}

type Signed = Pick<StoredLink, 'id' | 'report_id' | 'format'> & {
  /** Seconds since the epoch. */
  readonly expires: string;
};

const sign = (key: Buffer, { report_id: report, id, format, expires }: Signed): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify(['report-link/1', report, id, format, expires]))
    .digest();

const secondsOf = ({ expires_at: at }: StoredLink): string => String(at / 1_000);

/**
 * Makes a link.
 * @param expiresIn seconds
 * @returns it, and the path and query that open it
 */
export async function createLink(
  deps: Deps,
  tx: Tx,
  order: Pick<StoredLink, 'report_id' | 'format' | 'created_by'>,
  expiresIn: number,
): Promise<{ readonly link: StoredLink; readonly path: string }> {
  const now = deps.clock.now();
  const link: StoredLink = {
    id: deps.ids.next('lnk'),
    ...order,
    expires_at: (Math.floor(now / 1_000) + expiresIn) * 1_000,
    created_at: timestamp(now),
    downloads: 0,
  };
  await tx.insert(reportLinks, link);
  const expires = secondsOf(link);
  const signature = sign(await ensureKey(deps, tx), { ...link, expires }).toString('hex');
  const place = `/v1/reports/${link.report_id}/download-links/${link.id}/file`;
  return { link, path: `${place}?expires=${expires}&signature=${signature}` };
}

export interface FollowedLink {
  readonly report_id: string;
  readonly link_id: string;
}

type LinkQuery = HandlerInput<typeof downloads.followLink>['query'];

/**
 * @param query as it was sent; parts that a link does not have make it another one
 * @throws GovctlError report_not_found for what is no link, is one no more, or was changed
 */
export async function checkLink(
  deps: Deps,
  { report_id: report, link_id: id }: FollowedLink,
  { expires = '', signature = '', ...added }: LinkQuery,
): Promise<StoredLink> {
  const key = await readKey(deps, deps.store);
  const link = (await deps.store.get(reportLinks, id))?.doc;
  // Compared in any case, so that the time it takes tells nothing.
  const expected = sign(key ?? Buffer.alloc(32), {
    report_id: report,
    id,
    format: link?.format ?? '',
    expires,
  });
  const sent = Buffer.from(/^[0-9a-f]{64}$/.test(signature) ? signature : '00'.repeat(32), 'hex');
  const isSigned = timingSafeEqual(sent, expected);
  const isGood =
    key !== undefined &&
    isSigned &&
    Object.keys(added).length === 0 &&
    link?.report_id === report &&
    secondsOf(link) === expires &&
    deps.clock.now() < link.expires_at;
  if (!isGood) throw linkNotFound(report);
  return link;
}

export const linkNotFound = (reportId: string): GovctlError =>
  new GovctlError('report_not_found', 'This share link does not exist', {
    extra: {
      report_id: reportId.slice(0, 100),
      possible_causes: [
        'The share link has expired',
        'The share link was revoked',
        'The URL is incomplete or was changed',
        'The report was deleted or has expired',
      ],
    },
  });

/** They are all shown with their report. */
const mostLinks = 1_000;

/** @throws GovctlError invalid_report_config where the report has as many links as it can have */
export async function checkRoomForLink(tx: Tx, reportId: string): Promise<void> {
  if ((await countRows(tx, reportLinks, { report_id: { any: [reportId] } })) < mostLinks) return;
  const message = `The report has ${mostLinks} links, which is the maximum`;
  const hint = 'Revoke links that are no longer needed, or wait until some expire.';
  throw new GovctlError('invalid_report_config', message, { hint });
}

/** The links of a report that can be followed; what opens them is not told again. */
export async function linksOf(
  reader: Reader,
  reportId: string,
  now: number,
): Promise<readonly ReportLink[]> {
  const links: ReportLink[] = [];
  for await (const { doc } of allRows(reader, reportLinks, { report_id: { any: [reportId] } })) {
    if (doc.expires_at <= now) continue;
    const { id, format, created_at, created_by, downloads } = doc;
    const expires_at = timestamp(doc.expires_at);
    links.push({ id, format, expires_at, created_at, created_by, downloads });
  }
  return links;
}

/** Removes the links of a report that is deleted, and its access log. What is left where this is cut off expires. */
export async function removeAccess(
  store: Pick<Store, 'page' | 'transact'>,
  reportId: string,
): Promise<void> {
  const own = { report_id: { any: [reportId] } };
  await removeRows(store, reportLinks, own);
  await removeRows(store, reportDownloads, own);
}
