import * as z from 'zod';
import { formatOfTestKey } from '../../inventory/formats/formats.ts';
import type { TestKey } from '../../inventory/formats/formats.ts';
import { name, text } from './policy.ts';

const moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** A resource as the service takes it: open, but it has an id and a type. */
const resource = z.looseObject({ id: text, type: text });

/** A file, relative to the test's own, or what would be in it. */
const given = z.union([text, z.looseObject({}), z.array(z.looseObject({}))]);

const fileKeys = Object.keys(formatOfTestKey) as TestKey[];
const files = Object.fromEntries(fileKeys.map((key) => [key, given.optional()])) as Record<
  TestKey,
  z.ZodOptional<typeof given>
>;

const input = z
  .strictObject({
    resources: z.array(resource).optional(),
    ...files,
  })
  .refine((given) => Object.keys(given).length === 1, {
    message: 'must contain exactly one source, such as resources or cloudformation',
  });

/** Cases for the policies of a file: each says what the policies find in an input. */
export const PolicyTestDocument = z.strictObject({
  kind: z.literal('PolicyTest').optional(),
  name: name.optional(),
  /** The file with the policies, relative to the test's own. */
  policy: text,
  /** What `now` is in the conditions. */
  now: moment.optional(),
  cases: z
    .array(
      z.strictObject({
        name,
        now: moment.optional(),
        input,
        expect: z.array(
          z.strictObject({
            resource: text,
            result: z.enum(['pass', 'fail', 'skip', 'exempt', 'error']),
            message: z.string().optional(),
            policy: text.optional(),
          }),
        ),
      }),
    )
    .min(1),
});

/** Top-level fields by which people know a template or a plan. */
const fieldsOfSources: Partial<Readonly<Record<TestKey, readonly string[]>>> = {
  cloudformation: [
    'AWSTemplateFormatVersion',
    'Conditions',
    'Description',
    'Globals',
    'Mappings',
    'Metadata',
    'Outputs',
    'Parameters',
    'Resources',
    'Rules',
    'Transform',
  ],
  terraform: ['planned_values', 'resource_changes', 'terraform_version'],
  azure_resources: ['$schema', 'contentVersion'],
};

/** The key of an `input` for a document with such a field. */
export const testKeyOf = (field: string): TestKey | undefined =>
  fileKeys.find((key) => fieldsOfSources[key]?.includes(field));

/** Files, relative to the test's own, that its cases read: they hold resources, not policies. */
export function inputFiles(document: Readonly<Record<string, unknown>>): string[] {
  const cases = Array.isArray(document.cases) ? (document.cases as unknown[]) : [];
  return cases.flatMap((one) => {
    const given = (one as { input?: Record<string, unknown> } | null)?.input ?? {};
    return fileKeys.flatMap((key) => {
      const file = given[key];
      return typeof file === 'string' ? [file] : [];
    });
  });
}
