import { field, isFields, itemsOf, textOf } from '../../json.ts';
import type { DocumentPath, DocumentProblem } from '../../model.ts';
import type { Asset } from './asset.ts';
import { kindType } from './types.ts';

/**
 * Types of lists whose items don't say what they are: by the list's name, and an attribute or a step of the name that
 * only those items have, where several APIs use the list's name.
 */
const listTypes: readonly (readonly [list: string, has: string, type: string])[] = [
  ['accounts', 'email', 'GCP::Iam::ServiceAccount'],
  ['clusters', 'nodePools', 'GCP::Container::Cluster'],
  ['clusters', 'masterAuth', 'GCP::Container::Cluster'],
  ['clusters', '/instances/', 'GCP::Bigtableadmin::Cluster'],
  ['cryptoKeys', '/keyRings/', 'GCP::Cloudkms::CryptoKey'],
  ['functions', 'serviceConfig', 'GCP::Cloudfunctions::Function'],
  ['functions', '/functions/', 'GCP::Cloudfunctions::CloudFunction'],
  ['instances', 'redisVersion', 'GCP::Redis::Instance'],
  ['instances', 'nodeCount', 'GCP::Spanner::Instance'],
  ['keyRings', '/keyRings/', 'GCP::Cloudkms::KeyRing'],
  ['keys', 'keyAlgorithm', 'GCP::Iam::ServiceAccountKey'],
  ['managedZones', 'dnsName', 'GCP::Dns::ManagedZone'],
  ['projects', 'projectNumber', 'GCP::Cloudresourcemanager::Project'],
  ['sinks', 'destination', 'GCP::Logging::LogSink'],
  ['subscriptions', '/subscriptions/', 'GCP::Pubsub::Subscription'],
  ['topics', '/topics/', 'GCP::Pubsub::Topic'],
];

interface Answer {
  readonly assets: readonly Asset[];
  /** Things of which nothing says what they are. */
  readonly problems: readonly DocumentProblem[];
}

/**
 * The things in a list that an API answered with, also as a recording keeps it (`{headers, body}`); undefined where the
 * document is no such list.
 */
export function listAnswer(document: unknown): Answer | undefined {
  const recorded = isFields(field(document, 'body')) && isFields(field(document, 'headers'));
  const body = recorded ? field(document, 'body') : document;
  const base: DocumentPath = recorded ? ['body'] : [];
  if (!isFields(body)) return undefined;
  const assets: Asset[] = [];
  const problems: DocumentProblem[] = [];
  for (const [name, list] of Object.entries(body)) {
    for (const { items, at: place } of listsIn(name, list)) {
      for (const [index, item] of items.entries()) {
        const type = typeOf(name, item);
        const id = idOf(item);
        const at = [...base, ...place, index];
        if (type !== undefined && id !== undefined)
          assets.push({ type, name: id, data: item, beside: {}, at });
        else if (type !== undefined || id !== undefined)
          problems.push({
            message: `this resource has no ${id === undefined ? 'name or ID' : 'recognizable type'}`,
            at,
          });
      }
    }
  }
  return assets.length > 0 ? { assets, problems } : undefined;
}

/** A list, or Compute Engine's aggregated form: by zone, the list under the name of its kind. */
function listsIn(name: string, list: unknown): { items: readonly unknown[]; at: DocumentPath }[] {
  if (Array.isArray(list)) return [{ items: itemsOf(list), at: [name] }];
  if (name !== 'items' || !isFields(list)) return [];
  return Object.entries(list).flatMap(([zone, scoped]) =>
    isFields(scoped)
      ? Object.entries(scoped)
          .filter(([, items]) => Array.isArray(items))
          .map(([kind, items]) => ({ items: itemsOf(items), at: [name, zone, kind] }))
      : [],
  );
}

function typeOf(list: string, item: unknown): string | undefined {
  const kind = textOf(field(item, 'kind'));
  if (kind !== undefined) return kindType(kind);
  if (!isFields(item)) return undefined;
  const name = textOf(item['name']) ?? '';
  return listTypes.find(
    ([named, has]) =>
      named === list && (has.startsWith('/') ? name.includes(has) : Object.hasOwn(item, has)),
  )?.[2];
}

const idOf = (item: unknown): string | undefined =>
  (['selfLink', 'name', 'id', 'projectId'] as const)
    .map((attribute) => textOf(field(item, attribute)))
    .find((id) => id !== undefined);
