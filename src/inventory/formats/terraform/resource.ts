import { defined } from '../../../contract/defined.ts';
import type { DocumentPath, RawResource } from '../../model.ts';
import { field, fieldsOf, isFields, itemsOf, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import { plannedBlock } from '../../attributes/aws/plan-value.ts';
import { isUnknown, readJson } from '../../attributes/values.ts';
import { propertiesOf as azureProperties, toldOf } from '../azure/properties.ts';
import { identify, ownId } from './identify.ts';
import type { ProviderDefaults } from './identify.ts';
import { resourceType } from './types.ts';

/** A managed resource instance of a plan or a state. */
export interface TerraformResource {
  readonly address: string;
  readonly module: string | undefined;
  readonly type: string;
  readonly provider: string | undefined;
  readonly values: Fields;
  /** Its values before the plan, where it stays: an id that is not known any more is found there. */
  readonly before?: unknown;
  /** Like the values, with true where one is sensitive. */
  readonly sensitive: unknown;
  readonly action?: string | undefined;
  readonly defaults?: ProviderDefaults;
  readonly givenBy?: RawResource['givenBy'];
  readonly sets?: RawResource['sets'];
  readonly at: DocumentPath;
}

/** Terraform's resources → resources, each with an id of its own. */
export function toRawResources(resources: readonly TerraformResource[]): RawResource[] {
  const ids = chooseIds(resources);
  return resources.flatMap((one) => {
    const identity = identify(one.type, one.values, one.defaults ?? {});
    const id = ids.get(one);
    const sensitive = listSensitive(one.sensitive);
    const raw: RawResource = {
      ...identity,
      address: one.address,
      id: id ?? one.address,
      names:
        id === undefined ? identity.names.filter((name) => !isIdOf(one, name)) : identity.names,
      type: resourceType(one.type, one.values),
      properties: propertiesOf(one),
      givenBy: one.givenBy,
      sets: one.sets,
      exists: isThere(one),
      source: {
        format: 'terraform',
        address: one.address,
        terraform_type: one.type,
        ...defined({ module: one.module, provider: one.provider, action: one.action }),
        ...(sensitive.length === 0 ? {} : { sensitive }),
        ...azapiSource(one),
      },
      at: one.at,
      ...azapiReading(one),
    };
    const hasBlobs =
      one.type === 'azurerm_storage_account' && raw.properties['account_kind'] !== 'FileStorage';
    return hasBlobs ? [raw, blobService(raw)] : [raw];
  });
}

/** What a state lists, and what a plan does not create. */
const isThere = ({ sets, action }: TerraformResource): boolean =>
  sets === undefined || (action !== undefined && action !== 'create' && action !== 'replace');

/** Azure keeps the settings of an account's blobs in a resource of their own; Terraform in a block of the account. */
function blobService(account: RawResource): RawResource {
  const settings = plannedBlock(account.properties, 'blob_properties');
  return {
    ...account,
    address: `${account.address}/blobServices/default`,
    id: `${account.id}/blobServices/default`,
    type: 'Azure::Storage::storageAccounts/blobServices',
    name: 'default',
    tags: {},
    properties: isFields(settings) ? settings : {},
    names: [],
  };
}

/**
 * A part often has the id of what it belongs to: `aws_s3_bucket_versioning` that of its bucket. The id is then the
 * resource's with the shortest type, and the parts go by their address.
 */
function chooseIds(
  resources: readonly TerraformResource[],
): ReadonlyMap<TerraformResource, string> {
  const claims = new Map<string, TerraformResource[]>();
  for (const one of resources) {
    const id = ownId(one.values) ?? ownId(one.before);
    if (id === undefined) continue;
    const same = claims.get(id);
    if (same) same.push(one);
    else claims.set(id, [one]);
  }
  const ids = new Map<TerraformResource, string>();
  for (const [id, claimants] of claims) {
    const [shortest, next] = claimants.toSorted((a, b) => a.type.length - b.type.length);
    if (shortest && shortest.type.length < (next?.type.length ?? Infinity)) ids.set(shortest, id);
  }
  return ids;
}

const isIdOf = (one: TerraformResource, name: string): boolean =>
  field(one.values, 'id') === name || field(one.values, 'arn') === name;

/** What azapi writes is Azure's own document, under `body`. */
function propertiesOf({ type, values }: TerraformResource): Fields {
  if (type !== 'azapi_resource') return values;
  const identity = plannedBlock(values, 'identity');
  const body = readJson(values['body']);
  return azureProperties({ ...defined({ identity }), ...(isUnknown(body) ? {} : fieldsOf(body)) });
}

/** Such a document is read as a template's resource. Where it can't be read, or the rest of what is updated, it is unknown. */
function azapiReading({ type, values }: TerraformResource): Partial<RawResource> {
  if (!type.startsWith('azapi_')) return {};
  const body = readJson(values['body']) ?? {};
  const isRead = type === 'azapi_resource' && isFields(body) && !isUnknown(body);
  return { writtenAs: 'azure', ...(isRead ? toldOf(body) : { only: [] }) };
}

/** Its `type` ends with the API version; its parent is a resource, or the group that it is in. */
function azapiSource({ type, values }: TerraformResource): Fields {
  if (!type.startsWith('azapi_')) return {};
  const version = textOf(values['type'])?.split('@')[1];
  return defined({ api_version: version, parent: values['parent_id'] });
}

const maxDepth = 100;

/** Paths of sensitive values, as `master_password` or `parameter[0].value`. */
function listSensitive(sensitive: unknown, path = '', depth = 0): string[] {
  if (sensitive === true) return [path];
  if (depth > maxDepth) return [];
  if (Array.isArray(sensitive))
    return itemsOf(sensitive).flatMap((item, index) =>
      listSensitive(item, `${path}[${index}]`, depth + 1),
    );
  if (!isFields(sensitive)) return [];
  return Object.entries(sensitive).flatMap(([name, inner]) =>
    listSensitive(inner, path === '' ? name : `${path}.${name}`, depth + 1),
  );
}
