import { defined } from '../../contract/defined.ts';
import { auditLog } from '../audit/service.ts';
import { accessTokens, apiKeys, oauthClients } from '../auth/collections.ts';
import { hintOf } from '../auth/secrets.ts';
import { idempotencyKeys } from '../http/idempotency.ts';
import { localState } from '../local/collection.ts';
import type { FileOf, Stored } from '../local/snapshot.ts';
import { collections } from './nouns.ts';
import { reportDeliveries, reportDeliveryLanes } from '../report-delivery/collection.ts';
import type { StoredReportDelivery } from '../report-delivery/collection.ts';
import { reportLanes, reports } from '../reports/collection.ts';
import type { StoredReport } from '../reports/collection.ts';
import { serverState } from '../keys/collection.ts';
import { scheduleLanes, schedules } from '../schedules/collection.ts';
import type { StoredSchedule } from '../schedules/collection.ts';
import type { CollectionSpec, Document } from '../store/store.ts';
import { webhookLanes, webhooks } from '../webhooks/collection.ts';
import type { StoredWebhook } from '../webhooks/collection.ts';
import { deliveries } from '../webhooks/delivery/collection.ts';
import type { StoredDelivery } from '../webhooks/delivery/collection.ts';

/** What belongs to the server at hand, and neither travels nor goes: who may log in, its key, its clock. */
const own: ReadonlySet<string> = new Set(
  [apiKeys, oauthClients, accessTokens, serverState, localState].map(({ name }) => name),
);
const forgotten: ReadonlySet<string> = new Set([idempotencyKeys.name]);
const history: ReadonlySet<string> = new Set([auditLog.name]);

// Their documents are read through their own functions only.
const all = collections as readonly unknown[] as readonly CollectionSpec<Document>[];
const among = (names: ReadonlySet<string>): readonly CollectionSpec<Document>[] =>
  all.filter(({ name }) => names.has(name));

/** What snapshots of a local server are of. Collections that are added travel by themselves. */
export const stored: Stored = {
  collections: all.filter(
    ({ name }) => !own.has(name) && !forgotten.has(name) && !history.has(name),
  ),
  forgotten: among(forgotten),
  history: among(history),
  lanes: [
    { spec: webhookLanes, owners: webhooks.name, relocate: relocateDelivery },
    { spec: reportLanes, owners: reports.name },
    { spec: scheduleLanes, owners: schedules.name },
    { spec: reportDeliveryLanes, owners: reportDeliveries.name },
  ],
  sequences: ['events'],
  sealed: [
    { in: webhooks.name, holds: () => true, renew: renewSecret },
    // What can't be opened in these fails visibly, and tells what to set anew.
    { in: schedules.name, holds: holdsSecret },
    { in: reports.name, holds: holdsPassword },
    { in: reportDeliveries.name, holds: holdsLinks, renew: forgetLinks },
  ],
  files: { in: reports.name, of: filesOf },
};

// Each gets documents of its collection only.
function holdsSecret(doc: Document): boolean {
  const { channels, report_template: template } = doc as StoredSchedule;
  const hasSecret = channels.some((channel) => channel.kind === 'webhook' && channel.secret);
  return hasSecret || template.format_options?.security?.password !== undefined;
}

function holdsPassword(doc: Document): boolean {
  return (doc as StoredReport).security?.password !== undefined;
}

function holdsLinks(doc: Document): boolean {
  return (doc as StoredReportDelivery).links !== undefined;
}

/** They are made anew for the next try. */
function forgetLinks(doc: Document): { doc: Document; isNew: boolean } {
  return { doc: withoutLinks(doc as StoredReportDelivery), isNew: false };
}

const withoutLinks = ({ links: _, ...delivery }: StoredReportDelivery): Document => delivery;

function filesOf(doc: Document): readonly FileOf[] {
  const { result } = doc as StoredReport;
  if (!result) return [];
  return [
    ...result.model.map((blob) => ({ blob })),
    ...result.files.flatMap(({ blob, size, sha256, signature }) => [
      { blob, size, sha256 },
      ...(signature ? [signature] : []),
    ]),
  ];
}

/** A delivery that is under way names the place of its event in the lane. */
function relocateDelivery(
  collection: string,
  doc: Document,
  placeOf: (old: number) => number | undefined,
): Document {
  if (collection !== deliveries.name) return doc;
  const delivery = doc as StoredDelivery; // by the name of its collection
  if (delivery.pending?.position === undefined) return doc;
  const { position: old, ...pending } = delivery.pending;
  const position = placeOf(old);
  const moved: StoredDelivery = {
    ...delivery,
    pending: { ...pending, ...defined({ position }) },
  };
  return moved;
}

function renewSecret(
  doc: Document,
  seal: (secret: string, owner: string) => string,
  random: (bytes: number) => Uint8Array,
): { doc: Document; isNew: boolean } {
  const kept = Object.entries(doc).filter(([field]) => !field.startsWith('previous_secret'));
  const webhook = Object.fromEntries(kept) as unknown as StoredWebhook; // by the name of its collection
  const secret = Buffer.from(random(32)).toString('base64url');
  const renewed: StoredWebhook = {
    ...webhook,
    secret: seal(secret, webhook.id),
    secret_hint: hintOf(secret),
  };
  return { doc: renewed, isNew: true };
}
