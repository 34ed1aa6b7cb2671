import { UnknownValue } from '../../../contract/resources.ts';
import { field, fieldsOf, isFields, itemsOf, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import type { DocumentPath, Merged, RawResource } from '../../model.ts';
import { readTags } from '../../attributes/values.ts';

/** An asset, whatever it was exported by. */
export interface Asset {
  /** As policies name it. */
  readonly type: string;
  /** Its full name, `//storage.googleapis.com/bucket`, or what an API calls it. */
  readonly name: string;
  /** The resource as its API has it. */
  readonly data: unknown;
  readonly location?: string | undefined;
  /** Policies that belong to it: `iamPolicy`, `orgPolicy`. */
  readonly beside: Fields;
  readonly labels?: unknown;
  /** `['projects/1', 'folders/2']`, or `organization/3/project/name`. */
  readonly ancestors?: unknown;
  readonly at: DocumentPath;
  readonly merged?: Merged | undefined;
  readonly lacks?: string | undefined;
}

export function toRawResource(asset: Asset): RawResource {
  const data = fieldsOf(asset.data);
  const path = asset.name.replace(/^\/\/[^/]+\//, '');
  const shortName = shortNameOf(data, path);
  const names = [
    asset.name,
    path,
    textOf(data['selfLink']),
    textOf(data['name']),
    textOf(data['email']),
    shortName,
  ];
  return {
    address: asset.name,
    id: asset.name,
    type: asset.type,
    name: shortName,
    account_id: projectOf(asset, data, path),
    region: regionOf(asset, data, path),
    tags:
      asset.data === undefined && asset.labels === undefined
        ? new UnknownValue('the labels, which are not in the export')
        : readTags(labelsOf(asset, data)),
    properties: { ...data, ...asset.beside },
    source: { format: 'gcp-assets' },
    names: [...new Set(names.filter((one) => one !== undefined))],
    at: asset.at,
    ...(asset.merged ? { merged: asset.merged } : {}),
    lacks: asset.lacks,
    ...(asset.data === undefined
      ? { only: ['iam', 'audit_configs', 'joined'], given: notExported }
      : {}),
  };
}

/** Of an asset whose own entry is not in the export. */
const notExported = {
  properties: new UnknownValue('the properties, which are not in the export'),
};

const last = (path: string): string | undefined => textOf(path.split('/').at(-1));

/** A key's or an account's `name` is a path; its last step is what people say. */
const shortNameOf = (data: Fields, path: string): string | undefined =>
  last(textOf(data['name']) ?? path);

function projectOf(asset: Asset, data: Fields, path: string): string | undefined {
  if (asset.type === 'GCP::Cloudresourcemanager::Project')
    return textOf(data['projectId']) ?? after(path, 'projects');
  return (
    after(path, 'projects') ??
    after(textOf(data['selfLink']) ?? '', 'projects') ??
    after(textOf(asset.ancestors) ?? '', 'project') ??
    itemsOf(asset.ancestors)
      .map((one) => after(textOf(one) ?? '', 'projects'))
      .find((one) => one !== undefined)
  );
}

/** The step after a named one: `after('projects/p/topics/t', 'projects')` is `p`. */
function after(path: string, step: string): string | undefined {
  const steps = path.split('/');
  const at = steps.indexOf(step);
  return at < 0 ? undefined : textOf(steps[at + 1]);
}

function regionOf(asset: Asset, data: Fields, path: string): RawResource['region'] {
  const place =
    asset.location ??
    after(path, 'locations') ??
    after(path, 'regions') ??
    after(path, 'zones') ??
    last(textOf(data['location']) ?? textOf(data['region']) ?? textOf(data['zone']) ?? '');
  if (place === undefined && asset.data === undefined)
    return new UnknownValue('the location, which is not in the export', { present: false });
  if (place === undefined || place === 'global' || place === '-') return undefined;
  const region = place.toLowerCase();
  return /^[a-z]+-[a-z]+\d+-[a-z]$/.test(region) ? region.slice(0, -2) : region;
}

/** Labels have their own name in the APIs of Cloud SQL and Kubernetes Engine; instance templates have their instances'. */
const labelsOf = (asset: Asset, data: Fields): unknown =>
  [
    data['labels'],
    data['resourceLabels'],
    field(data['settings'], 'userLabels'),
    field(data['properties'], 'labels'),
    asset.labels,
  ].find(isFields);
