import { describeIssues } from '../../../contract/describe-issues.ts';
import {
  ResourceInput,
  UnknownAttributes,
  maxResourceId,
  providerOf,
} from '../../../contract/resources.ts';
import type { KnownResource } from '../../../contract/resources.ts';
import { ResourceType } from '../../../contract/policies.ts';
import { isFields } from '../../json.ts';
import type {
  DocumentPath,
  DocumentProblem,
  RawResource,
  ReadDocument,
  Reader,
} from '../../model.ts';

/** govctl's own shape: `{id, type, …}`, a list of them, `{resources: [...]}`, or one on each line. */
export const native: Reader = {
  format: 'native',
  detects: (document) => itemsOf(document).some(({ value }) => looksNative(value)),
  read: readNative,
};

const looksNative = (value: unknown): boolean =>
  isFields(value) && Object.hasOwn(value, 'id') && Object.hasOwn(value, 'type');

function itemsOf(document: unknown): { readonly value: unknown; readonly at: DocumentPath }[] {
  if (Array.isArray(document)) {
    return document.map((value: unknown, index) => ({ value, at: [index] }));
  }
  if (isFields(document) && !looksNative(document) && Array.isArray(document.resources)) {
    return document.resources.map((value: unknown, index) => ({ value, at: ['resources', index] }));
  }
  return [{ value: document, at: [] }];
}

function readNative(document: unknown): ReadDocument {
  const raws: RawResource[] = [];
  const problems: DocumentProblem[] = [];
  for (const { value, at } of itemsOf(document)) {
    const resource = asResource(value);
    if (resource) raws.push(asRaw(resource, at));
    else for (const problem of explainResource(value, at)) problems.push(problem);
  }
  return { raws, problems };
}

const asRaw = (resource: KnownResource, at: DocumentPath): RawResource => ({
  address: resource.id,
  id: resource.id,
  type: resource.type,
  tags: resource.tags,
  properties: resource.properties,
  source: {},
  names: [],
  at,
  given: resource,
});

/**
 * A value in the native format as a resource, defaults filled in; undefined where `ResourceInput` refuses it, and then
 * `explainResource` says why. Made for a million lines: what is complete is used as it is, without a schema.
 */
export function asResource(value: unknown): KnownResource | undefined {
  if (!isFields(value)) return undefined;
  const { id, type, provider, tags, properties } = value;
  const isGood =
    typeof id === 'string' &&
    id.length > 0 &&
    id.length <= maxResourceId &&
    typeof type === 'string' &&
    isType(type) &&
    isText(provider, 64) &&
    isText(value.name, 1_024) &&
    isText(value.account_id, 256) &&
    isText(value.region, 64) &&
    isText(value.environment, 64) &&
    (tags === undefined || areTags(tags)) &&
    (properties === undefined || isFields(properties)) &&
    (value._unknown === undefined || UnknownAttributes.safeParse(value._unknown).success);
  if (!isGood) return undefined;
  if (provider !== undefined && tags !== undefined && properties !== undefined) {
    return value as KnownResource; // its fields were checked above
  }
  return {
    ...value,
    id,
    type,
    provider: provider ?? providerOf(type),
    tags: tags ?? {},
    properties: properties ?? {},
  };
}

/** Why a value is no resource, each problem at its field. */
export function explainResource(value: unknown, at: DocumentPath = []): DocumentProblem[] {
  const read = ResourceInput.safeParse(value, { reportInput: true });
  return (read.error?.issues ?? []).map((issue) => {
    const [described] = describeIssues(ResourceInput, value, [issue]);
    const field = described?.field ? `${described.field}: ` : '';
    const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
    return { message: `${field}${described?.message ?? issue.message}`, at: [...at, ...path] };
  });
}

const isText = (value: unknown, max: number): value is string | undefined =>
  value === undefined || (typeof value === 'string' && value.length <= max);

function areTags(value: unknown): value is Readonly<Record<string, string>> {
  if (!isFields(value)) return false;
  for (const key in value) if (typeof value[key] !== 'string') return false;
  return true;
}

/** Types met before; inputs have few. */
const goodTypes = new Set<string>();
const maxGoodTypes = 10_000;

function isType(type: string): boolean {
  if (goodTypes.has(type)) return true;
  if (!ResourceType.safeParse(type).success) return false;
  if (goodTypes.size < maxGoodTypes) goodTypes.add(type);
  return true;
}
