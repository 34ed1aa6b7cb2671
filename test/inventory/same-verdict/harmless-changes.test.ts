// A change that means nothing changes no verdict: over inputs with several kinds of resources, each with settings at random.
import { expect, test } from 'vitest';
import type { Format } from '../../../src/inventory/formats/formats.ts';
import { normalisers } from '../../../src/inventory/attributes/types.ts';
import { createPick, oneOf } from '../../support/pick.ts';
import type { Pick } from '../../support/pick.ts';
import { awsKinds } from './aws-kinds.ts';
import { azureKinds } from './azure-kinds.ts';
import { documentOf, sourcesOf } from './documents.ts';
import type { Variant } from './documents.ts';
import { changed, harmlessChanges, renameAll, verdictsIn } from './harmless-changes.ts';
import { googleKinds } from './google-kinds.ts';
import type { Fields, Kind } from './kind.ts';
import { isMap } from './spelled.ts';

/** The documents of a cloud in one form: how several of them are put into one, and how they are read. */
interface Form {
  readonly kinds: readonly Kind[];
  readonly source: 'template' | 'plan' | 'item';
  readonly format: Format;
  readonly join: (documents: readonly Fields[]) => unknown;
}
const rounds = 40;

const variantAtRandom = ({ settings }: Kind, pick: Pick): Variant =>
  settings.map(({ values, differs }) => {
    const chosen = pick(values.length + (differs === undefined ? 1 : 0));
    return chosen < values.length ? chosen : undefined;
  });

/** A document of a few kinds. */
function documentAtRandom({ kinds, source, join }: Form, pick: Pick): unknown {
  const able = kinds.filter((kind) => sourcesOf(kind).includes(source));
  const chosen = new Map(
    Array.from({ length: 1 + pick(4) }, () => oneOf(pick, able)).map((kind) => [kind.type, kind]),
  );
  return join(
    [...chosen.values()].map(
      (kind) => documentOf(kind, variantAtRandom(kind, pick), source) as Fields,
    ),
  );
}

const all = (documents: readonly Fields[], list: string): unknown[] =>
  documents.flatMap((document) => document[list] as unknown[]);

/** Documents of which a list has the resources. */
const joinLists =
  (list: string): Form['join'] =>
  (documents) => ({ ...documents[0], [list]: withoutRepeats(all(documents, list)) });

const joinTemplates: Form['join'] = (documents) => {
  const resources = documents.map(({ Resources }, index) => {
    const names = Object.keys(Resources as Fields).map(
      (name) => [name, `${name}${index}`] as const,
    );
    return (renameAll({ Resources }, new Map(names)) as { Resources: Fields }).Resources;
  });
  return { ...documents[0], Resources: Object.assign({}, ...resources) as Fields };
};

const joinPlans: Form['join'] = (documents) => ({
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
});

const withoutRepeats = (entries: readonly unknown[]): unknown[] => [
  ...new Map(entries.map((one) => [JSON.stringify(one), one])).values(),
];

const plan = { source: 'plan', format: 'terraform', join: joinPlans } as const;
const forms: Readonly<Record<string, Form>> = {
  'CloudFormation template': {
    kinds: awsKinds,
    source: 'template',
    format: 'cloudformation',
    join: joinTemplates,
  },
  'plan of AWS': { kinds: awsKinds, ...plan },
  'AWS Config snapshot': {
    kinds: awsKinds,
    source: 'item',
    format: 'aws-config',
    join: joinLists('configurationItems'),
  },
  'template of Azure': {
    kinds: azureKinds,
    source: 'template',
    format: 'azure',
    join: joinLists('resources'),
  },
  'plan of Azure': { kinds: azureKinds, ...plan },
  'list of Azure': { kinds: azureKinds, source: 'item', format: 'azure', join: joinLists('value') },
  'plan of Google Cloud': { kinds: googleKinds, ...plan },
  'export of Google Cloud': {
    kinds: googleKinds,
    source: 'item',
    format: 'gcp-assets',
    join: (documents) => withoutRepeats(documents.flat()),
  },
};

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
  Object.keys(forms).flatMap((title) =>
    Object.keys(harmlessChanges).map((change) => [title, change] as const),
  ),
)('the verdicts of a %s stay the same %s', (title, change) => {
  const form = forms[title] as Form;
  const wrong: unknown[] = [];
  let tried = 0;
  for (let seed = 1; seed <= rounds; seed++) {
    const pick = createPick(seed);
    const document = documentAtRandom(form, pick);
    const other = harmlessChanges[change]?.(document, form.format, pick);
    if (!other) continue;
    tried++;
    const found = changed(verdictsIn([document], form.format), verdictsIn(other, form.format));
    if (found.length > 0) wrong.push({ seed, found });
  }
  expect(wrong).toEqual([]);
  expect(tried > 0).toBe(appliesTo(change, form));
});

/** Names, parts and texts for other values are matters of CloudFormation's templates, the case of properties of Azure's. */
const appliesTo = (change: string, { format }: Form): boolean =>
  change.includes('case')
    ? format === 'azure'
    : change.includes('planned')
      ? format === 'terraform'
      : !/names|templates|texts/.test(change) || format === 'cloudformation';

const allKinds = [...awsKinds, ...azureKinds, ...googleKinds];

test.each(allKinds.map((kind) => [kind.type, kind.terraform, kind] as const))(
  '%s, %s: the case of a word that the provider reads whatever its case changes nothing',
  (type, _terraform, kind) => {
    const spelled = normalisers
      .filter(({ types }) => types.includes(type))
      .flatMap(({ attributes }) => Object.entries(attributes))
      // Where a secret comes from is a word of ours; `managed` is one of Terraform, too.
      .filter(([path, { spelling }]) => spelling !== undefined && !path.endsWith('.source'));
    const wrong: string[][] = [];
    for (const { kinds, source, format } of Object.values(forms)) {
      if (!kinds.includes(kind) || !sourcesOf(kind).includes(source)) continue;
      for (let seed = 1; seed <= 8; seed++) {
        const variant = variantAtRandom(kind, createPick(seed));
        const [native] = documentOf(kind, variant, 'native') as [Fields];
        const words = spelled.flatMap(([path]) => wordsAt(native, path.split('.')));
        const document = documentOf(kind, variant, source);
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
