// A variant of a kind, written as each source would have it.
import { declaredAbsences } from '../../support/attribute-model.ts';
import {
  Reference,
  itemsDocument,
  planDocument,
  templateDocument,
} from '../attributes/aws/twins.ts';
import type { Fields, Kind, Source, Value } from './kind.ts';
import { merge, put } from './spelled.ts';
import { isMap } from './spelled.ts';

/** The index of the value that each setting has; undefined: it is not set. */
export type Variant = readonly (number | undefined)[];

/** The KMS key that others of the document use, a customer's own. */
export const keyArn =
  'arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
/** What the attributes of a plan's resources are once they are deployed. */
const deployed = (address: string): Fields =>
  address === 'aws_kms_key.key'
    ? { id: keyArn.split('/').at(-1), arn: keyArn }
    : { id: `${address}-1a2b`, arn: `arn:aws:test:eu-central-1:123456789012:${address}` };

/** The document of a source, or undefined where the source does not have the type. */
export function documentOf(kind: Kind, variant: Variant, source: Source): unknown {
  if (kind.unsupported[source] !== undefined) return undefined;
  return render[source](kind, variant);
}

const render: Readonly<Record<Source, (kind: Kind, variant: Variant) => unknown>> = {
  native: (kind, variant) => {
    const fields = fieldsOf(kind, variant, 'native', 'native');
    const absent = declaredAbsences(kind.type).map(([path, value]) => put(path, value));
    return [{ id: 'it', type: kind.type, ...overlay(merge(...absent), fields) }];
  },
  template: (kind, variant) => {
    const beside = besides(kind, variant).map((one) => one.template);
    return templateDocument(
      {
        It: [kind.type, fieldsOf(kind, variant, 'template', undefined)],
        ...Object.assign({}, ...beside),
        Key: ['AWS::KMS::Key', { EnableKeyRotation: true }],
      },
      { Secret: { Type: 'String', NoEcho: true } },
    );
  },
  plan: (kind, variant) => planDocument(planned(kind, variant, undefined)),
  state: (kind, variant) => ({
    format_version: '1.0',
    terraform_version: '1.9.0',
    values: {
      root_module: {
        resources: Object.entries(planned(kind, variant, 'plan')).map(([address, values]) => {
          const [type, name] = address.split('.');
          const all = { ...deployed(address), ...values };
          return { address, mode: 'managed', type, name, values: deploy(all) };
        }),
      },
    },
  }),
  item: (kind, variant) => {
    const {
      supplementaryConfiguration = {},
      tags = {},
      ...configuration
    } = fieldsOf(kind, variant, 'item', 'item');
    return itemsDocument(
      { resourceType: kind.type, configuration, supplementaryConfiguration, tags },
      {
        resourceType: 'AWS::KMS::Key',
        ARN: keyArn,
        configuration: { arn: keyArn, keyManager: 'CUSTOMER', keyRotationStatus: true },
      },
      ...besides(kind, variant).flatMap((one) => one.item ?? []),
    );
  },
};

/** @param absent the spelling in which what is not set is told, too */
function fieldsOf(
  kind: Kind,
  variant: Variant,
  spelling: keyof Omit<Value, 'beside'>,
  absent: keyof Omit<Value, 'beside'> | undefined,
  source: Source = spelling,
): Fields {
  const told = kind.settings.map((setting, index) => {
    const chosen = variant[index];
    if (setting.untold[source] !== undefined) return {};
    if (chosen !== undefined) return setting.values[chosen]?.[spelling];
    return absent === undefined ? {} : setting.absent[absent];
  });
  return merge(kind.always[spelling], ...told);
}

const besides = (kind: Kind, variant: Variant) => [
  kind.always.beside ?? {},
  ...kind.settings.map(({ values }, index) => values[variant[index] ?? -1]?.beside ?? {}),
];

const planned = (kind: Kind, variant: Variant, absent: 'plan' | undefined) => ({
  [`${kind.terraform}.it`]: fieldsOf(
    kind,
    variant,
    'plan',
    absent,
    absent === undefined ? 'plan' : 'state',
  ),
  ...(Object.assign({}, ...besides(kind, variant).map((one) => one.plan)) as Record<
    string,
    Fields
  >),
  'aws_kms_key.key': { enable_key_rotation: true },
});

/** What a reference came to once it was deployed. */
function deploy(value: unknown): unknown {
  if (value instanceof Reference) {
    const [type, name, attribute = 'id'] = value.to.split('.');
    return deployed(`${type}.${name}`)[attribute];
  }
  if (Array.isArray(value)) return value.map(deploy);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, deploy(one)]));
}

/** The second wins; lists are given whole. */
function overlay(first: Fields, second: Fields): Fields {
  const put: Record<string, unknown> = { ...first };
  for (const [name, value] of Object.entries(second)) {
    const there = put[name];
    put[name] = isMap(there) && isMap(value) ? overlay(there, value) : value;
  }
  return put;
}
