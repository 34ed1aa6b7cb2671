/** By what a resource is found in a cost export, and in the inventory. */
export interface ResourceKey {
  /** The same for the same resource, however it is written. */
  readonly text: string;
  /** Whether it says its account, or is never given twice. Others, such as names, are compared within an account. */
  readonly isUnique: boolean;
}

/** `i-0abc…`, `vol-…`, `snap-…`, `eipalloc-…`: made by AWS, and never given twice. */
const madeByAws = /^[a-z]+(?:-[a-z]+)*-(?:[0-9a-f]{8}|[0-9a-f]{17})$/;
const arn = /^arn:(aws[a-z-]*):([a-z0-9-]+):([a-z0-9-]*):([a-z0-9-]*):(.+)$/s;
const googleHost = /^(?:\/\/|https:\/\/)([a-z]+)\.googleapis\.com\/(.+)$/s;

/**
 * The key of a resource. Inventories name AWS resources by ARN, exports some of them by ID or name only; Azure IDs are written
 * in any case; Google names resources in full, by the address of an API, or by a path in their project.
 * @param type of the inventory, which says the service of a path
 * @returns undefined: there is nothing to find it by
 */
export function resourceKey(provider: string, id: string, type?: string): ResourceKey | undefined {
  const key = keyOf(provider, id.trim(), type);
  return key.text === '' ? undefined : key;
}

function keyOf(provider: string, id: string, type: string | undefined): ResourceKey {
  if (provider === 'aws') return awsKey(id);
  if (provider === 'azure') return azureKey(id);
  return provider === 'gcp' && id !== '' ? googleKey(id, type) : { text: id, isUnique: false };
}

function awsKey(id: string): ResourceKey {
  const [, partition, service, , account, rest = ''] = arn.exec(id) ?? [];
  if (partition === undefined) return { text: id, isUnique: madeByAws.test(id) };
  const last = rest.slice(Math.max(rest.lastIndexOf('/'), rest.lastIndexOf(':')) + 1);
  if (service === 'ec2' && madeByAws.test(last)) return { text: last, isUnique: true };
  // Exports name buckets only, and a bucket's ARN says no account.
  if (service === 's3' && !rest.includes('/')) return { text: rest.trim(), isUnique: false };
  return { text: id, isUnique: account !== '' };
}

function azureKey(id: string): ResourceKey {
  const text = id.toLowerCase().replace(/[/\s]+$/, '');
  return { text, isUnique: text.startsWith('/subscriptions/') };
}

function googleKey(id: string, type = ''): ResourceKey {
  const [, host = '', address = ''] = googleHost.exec(id) ?? [];
  const ofType = type.split('::')[1]?.toLowerCase() ?? '';
  // `https://www.googleapis.com/compute/v1/projects/…` and `https://compute.googleapis.com/compute/v1/projects/…`
  const [, inPath, versioned] = /^([a-z]+)\/v\d[a-z0-9]*\/(.+)$/s.exec(address) ?? [];
  const service = inPath ?? (host === '' ? ofType : host);
  let path = versioned ?? (address === '' ? id : address.replace(/^v\d[a-z0-9]*\//, ''));
  if (service === 'storage') path = path.replace(/^(?:projects\/_\/buckets|b)\//, '');
  const isBucket = service === 'storage' && !path.includes('/');
  if (host === '' && !isBucket && !/^projects\/[^/]+\/./.test(path)) {
    return { text: id, isUnique: false };
  }
  return { text: `//${service}/${path}`, isUnique: true };
}

/** An account as both sides can be compared: AWS numbers, subscriptions with or without their path, projects. */
export const accountKey = (account: string): string =>
  account
    .trim()
    .toLowerCase()
    .replace(/^\/?(?:subscriptions|projects)\//, '')
    .replace(/\/+$/, '');
