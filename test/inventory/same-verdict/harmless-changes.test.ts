// A change that means nothing changes no verdict: over inputs with several kinds of resources, each with settings at random.
import { expect, test } from 'vitest';
import type { Format } from '../../../src/inventory/formats/formats.ts';
import { normalisers } from '../../../src/inventory/attributes/types.ts';
import { createPick, oneOf } from '../../support/pick.ts';
import type { Pick } from '../../support/pick.ts';
import { awsKinds } from './aws-kinds.ts';
import { documentOf } from './documents.ts';
import type { Variant } from './documents.ts';
import { changed, harmlessChanges, renameAll, verdictsIn } from './harmless-changes.ts';
import type { Fields, Kind, Source } from './kind.ts';
import { isMap } from './spelled.ts';

const formats = {
  template: 'cloudformation',
  plan: 'terraform',
  item: 'aws-config',
} as const satisfies Partial<Record<Source, Format>>;
const rounds = 40;

const variantAtRandom = ({ settings }: Kind, pick: Pick): Variant =>
  settings.map(({ values, differs }) => {
    const chosen = pick(values.length + (differs === undefined ? 1 : 0));
    return chosen < values.length ? chosen : undefined;
  });

/** A document of a few kinds. */
function documentAtRandom(source: keyof typeof formats, pick: Pick): Fields {
  const able = awsKinds.filter(({ unsupported }) => unsupported[source] === undefined);
  const kinds = new Map(
    Array.from({ length: 1 + pick(4) }, () => oneOf(pick, able)).map((kind) => [kind.type, kind]),
  );
  const documents = [...kinds.values()].map(
    (kind) => documentOf(kind, variantAtRandom(kind, pick), source) as Fields,
  );
  return put[source](documents);
}

const all = (documents: readonly Fields[], list: string): unknown[] =>
  documents.flatMap((document) => document[list] as unknown[]);

const put: Readonly<Record<keyof typeof formats, (documents: readonly Fields[]) => Fields>> = {
  template: (documents) => {
    const resources = documents.map(({ Resources }, index) => {
      const names = Object.keys(Resources as Fields).map(
        (name) => [name, `${name}${index}`] as const,
      );
      return (renameAll({ Resources }, new Map(names)) as { Resources: Fields }).Resources;
    });
    return { ...documents[0], Resources: Object.assign({}, ...resources) as Fields };
  },
  plan: (documents) => ({
    ...documents[0],
    resource_changes: withoutRepeats(all(documents, 'resource_changes')),
    configuration: {
      root_module: {
        resources: withoutRepeats(
          documents.flatMap(
            ({ configuration }) =>
              (configuration as { root_module: { resources: unknown[] } }).root_module.resources,
          ),
        ),
      },
    },
  }),
  item: (documents) => ({
    ...documents[0],
    configurationItems: withoutRepeats(all(documents, 'configurationItems')),
  }),
};

const withoutRepeats = (entries: readonly unknown[]): unknown[] => [
  ...new Map(entries.map((one) => [JSON.stringify(one), one])).values(),
];

test('a change that means something is found', () => {
  const template = (Status: string) => ({
    Resources: {
      It: { Type: 'AWS::S3::Bucket', Properties: { VersioningConfiguration: { Status } } },
    },
  });
  const [before, after] = [template('Enabled'), template('Suspended')].map((one) =>
    verdictsIn([one], 'cloudformation'),
  );
  expect(changed(before ?? [], after ?? [])).toContain(
    'after: AWS::S3::Bucket: aws-s3-versioning is FAIL 0',
  );
});

test.each(
  Object.keys(formats).flatMap((source) =>
    Object.keys(harmlessChanges).map((change) => [source as keyof typeof formats, change] as const),
  ),
)('the verdicts of a %s stay the same %s', (source, change) => {
  const format = formats[source];
  const wrong: unknown[] = [];
  let tried = 0;
  for (let seed = 1; seed <= rounds; seed++) {
    const pick = createPick(seed);
    const document = documentAtRandom(source, pick);
    const other = harmlessChanges[change]?.(document, format, pick);
    if (!other) continue;
    tried++;
    const found = changed(verdictsIn([document], format), verdictsIn(other, format));
    if (found.length > 0) wrong.push({ seed, found });
  }
  expect(wrong).toEqual([]);
  // Names, parts and texts for other values are matters of templates.
  expect(tried > 0).toBe(source === 'template' || !/names|templates|texts/.test(change));
});

test.each(awsKinds.map((kind) => [kind.type, kind] as const))(
  '%s: the case of a word that AWS reads whatever its case changes nothing',
  (type, kind) => {
    const spelled = normalisers
      .filter(({ types }) => types.includes(type))
      .flatMap(({ attributes }) => Object.entries(attributes))
      .filter(([, { spelling }]) => spelling !== undefined);
    const wrong: string[][] = [];
    for (const [source, format] of Object.entries(formats)) {
      for (let seed = 1; seed <= 8 && kind.unsupported[source as Source] === undefined; seed++) {
        const variant = variantAtRandom(kind, createPick(seed));
        const [native] = documentOf(kind, variant, 'native') as [Fields];
        const words = spelled.flatMap(([path]) => wordsAt(native, path.split('.')));
        const document = documentOf(kind, variant, source as Source);
        const other = inOtherCase(document, new Set(words.map((word) => word.toLowerCase())));
        wrong.push(changed(verdictsIn([document], format), verdictsIn([other], format)));
      }
    }
    expect(wrong.flat()).toEqual([]);
  },
);

/** The words at a path of attributes; `[]` leads into a list. */
function wordsAt(value: unknown, [step, ...rest]: readonly string[]): string[] {
  if (step === undefined) {
    return (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((one) =>
      typeof one === 'string' ? [one] : [],
    );
  }
  const inner = isMap(value) ? value[step.replace('[]', '')] : undefined;
  return Array.isArray(inner) && step.endsWith('[]')
    ? inner.flatMap((one) => wordsAt(one, rest))
    : wordsAt(inner, rest);
}

function inOtherCase(value: unknown, words: ReadonlySet<string>): unknown {
  if (typeof value === 'string' && words.has(value.toLowerCase())) {
    const upper = value.toUpperCase();
    return upper === value ? value.toLowerCase() : upper;
  }
  if (Array.isArray(value)) return value.map((one) => inOtherCase(one, words));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, inOtherCase(one, words)]),
  );
}
