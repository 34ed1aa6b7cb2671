// How each cloud's documents put together what is described of a resource and of those beside it.
import { itemsDocument, templateDocument } from '../attributes/aws/twins.ts';
import type { Fields, Kind, Source, Value } from './kind.ts';
import { sources } from './kind.ts';
import { isMap, merge } from './spelled.ts';

type Besides = readonly NonNullable<Value['beside']>[];

interface Cloud {
  readonly sources: readonly Source[];
  readonly template: (kind: Kind, fields: Fields, besides: Besides) => unknown;
  /** What exists, as the cloud exports it. */
  readonly item: (kind: Kind, fields: Fields, besides: Besides) => unknown;
  /** What else is in every plan. */
  readonly planned: Readonly<Record<string, Fields>>;
  /** What the attributes of a plan's resource are once it is deployed. */
  readonly deployed: (address: string) => Fields;
}

const allOf = (
  besides: Besides,
  part: 'template' | 'plan',
): Readonly<Record<string, readonly [string, Fields]>> =>
  Object.assign({}, ...besides.map((one) => one[part])) as Readonly<
    Record<string, readonly [string, Fields]>
  >;

/** The KMS key that others of the document use, a customer's own. */
export const keyArn =
  'arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';

const aws: Cloud = {
  sources,
  template: (kind, fields, besides) =>
    templateDocument(
      {
        It: [kind.type, fields],
        ...allOf(besides, 'template'),
        Key: ['AWS::KMS::Key', { EnableKeyRotation: true }],
      },
      { Secret: { Type: 'String', NoEcho: true } },
    ),
  item: (kind, fields, besides) => {
    const { supplementaryConfiguration = {}, tags = {}, ...configuration } = fields;
    return itemsDocument(
      {
        resourceType: kind.type,
        configuration: { ownerId: '123456789012', ...configuration },
        supplementaryConfiguration,
        tags,
      },
      {
        resourceType: 'AWS::KMS::Key',
        ARN: keyArn,
        configuration: { arn: keyArn, keyManager: 'CUSTOMER', keyRotationStatus: true },
      },
      ...besides.flatMap((one) => one.item ?? []),
    );
  },
  planned: { 'aws_kms_key.key': { enable_key_rotation: true } },
  deployed: (address) =>
    address === 'aws_kms_key.key'
      ? { id: keyArn.split('/').at(-1), arn: keyArn }
      : { id: `${address}-1a2b`, arn: `arn:aws:test:eu-central-1:123456789012:${address}` },
};

const subscription = '/subscriptions/1a2b3c4d-5e6f-7081-92a3-b4c5d6e7f809';
export const resourceGroup = `${subscription}/resourceGroups/shop`;

/** `Microsoft.Sql/servers/databases` and `it/it`, as an id of Resource Manager. */
export function azureId(type: string, name: string): string {
  const [namespace, ...types] = type.split('/');
  const steps = types.flatMap((step, index) => [step, name.split('/')[index]]);
  return `${resourceGroup}/providers/${[namespace, ...steps].join('/')}`;
}

/** A resource as a list has it. */
export const listed = (type: string, name: string, fields: Fields): Fields => ({
  id: azureId(type, name),
  name: name.split('/').at(-1),
  type,
  location: 'westeurope',
  ...fields,
});

const azureType = ({ type }: Kind): string =>
  type.replace('Azure::', 'Microsoft.').replace('::', '/');

/** As many names as there are steps in the type. */
const azureName = (kind: Kind): string =>
  azureType(kind)
    .split('/')
    .slice(1)
    .map(() => 'it')
    .join('/');

const azure: Cloud = {
  sources,
  template: (kind, fields, besides) => ({
    $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
    contentVersion: '1.0.0.0',
    resources: Object.entries({
      [azureName(kind)]: [azureType(kind), fields] as const,
      ...allOf(besides, 'template'),
    }).map(([name, [type, given]]) => ({
      type,
      name,
      apiVersion: '2025-01-01',
      location: 'westeurope',
      ...given,
    })),
  }),
  item: (kind, fields, besides) => ({
    value: [
      listed(
        azureType(kind),
        azureName(kind),
        merge({ properties: { provisioningState: 'Succeeded' } }, fields),
      ),
      ...besides.flatMap((one) => one.item ?? []),
    ],
  }),
  planned: {},
  deployed: (address) => ({ id: `${resourceGroup}/${address}`, name: 'it' }),
};

/** An asset of Cloud Asset Inventory, exported with its IAM policy. */
const asset = (type: string, { iamPolicy, ...data }: Fields): Fields => {
  const [, service = '', thing = ''] = type.split('::');
  const host = `${service.toLowerCase()}.googleapis.com`;
  return {
    name: `//${host}/projects/acme/${thing}/it`,
    assetType: `${host}/${thing}`,
    resource: { version: 'v1', data: { name: 'it', ...data } },
    iamPolicy: merge({ bindings: [] }, isMap(iamPolicy) ? iamPolicy : {}),
  };
};

const google: Cloud = {
  sources: sources.filter((source) => source !== 'template'),
  template: () => undefined,
  item: (kind, fields, besides) => [
    asset(kind.type, fields),
    ...besides.flatMap((one) => one.item ?? []),
  ],
  planned: {},
  deployed: (address) => ({
    id: `projects/acme/${address}`,
    name: 'it',
    dataset_id: 'it',
    project_id: 'it',
  }),
};

const clouds: Readonly<Record<string, Cloud>> = { AWS: aws, Azure: azure, GCP: google };

export const cloudOf = ({ type }: Kind): Cloud => {
  const cloud = clouds[type.split('::')[0] ?? ''];
  if (!cloud) throw new Error(`no cloud has ${type}`);
  return cloud;
};
