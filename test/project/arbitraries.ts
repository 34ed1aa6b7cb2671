import fc from 'fast-check';
import type { PolicyInput } from '../../src/contract/policies.ts';
import { PolicyInput as PolicyInputSchema } from '../../src/contract/policies.ts';
import type { LocalPolicy } from '../../src/project/model.ts';

/** Few names and values, so that collisions, swaps and accidental equality happen often. */
const name = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'epsilon');
const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const rule = fc
  .record({
    condition: fc.constantFrom('resource.a == 1', 'resource.b == 2', 'resource.c\n  == 3'),
    effect: fc.constantFrom('ALLOW' as const, 'DENY' as const),
    message: optional(fc.constantFrom('', 'Fix it', 'Line one\nline two')),
  })
  .map(({ message, ...rest }) => (message === undefined ? rest : { ...rest, message }));

export const policyFields = fc.record({
  description: optional(fc.constantFrom('', 'One', 'Two')),
  resource_type: fc.constantFrom('AWS::S3::Bucket', 'GCP::Storage::Bucket'),
  severity: optional(fc.constantFrom('LOW' as const, 'HIGH' as const)),
  enabled: optional(fc.boolean()),
  rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
  compliance_frameworks: optional(fc.subarray(['SOC2', 'HIPAA'])),
  auto_remediation: optional(fc.boolean()),
  remediation_action: optional(fc.constantFrom('notify')),
  tags: optional(fc.array(fc.constantFrom('prod', 'x', 'team:a'), { maxLength: 3 })),
});

const withoutUndefined = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));

export const localPolicy: fc.Arbitrary<LocalPolicy> = fc
  .tuple(key, name, policyFields)
  .map(([key, name, fields]) => makeLocal(key, { ...fields, name }));

/** A repo: keys and names are unique. */
export const repo = fc
  .uniqueArray(localPolicy, { selector: ({ key }) => key, maxLength: 5 })
  .map((policies) =>
    policies.filter(
      ({ policy }, index) =>
        policies.findIndex(({ policy: other }) => other.name === policy.name) === index,
    ),
  );

export function makeLocal(
  key: string,
  fields: Readonly<Record<string, unknown>> & { name: string },
): LocalPolicy {
  const policy: PolicyInput = PolicyInputSchema.parse(
    withoutUndefined({
      resource_type: 'AWS::S3::Bucket',
      rules: [{ condition: 'resource.a == 1', effect: 'DENY' }],
      ...fields,
    }),
  );
  return { key, policy, place: { file: `policies/${key}.yaml`, line: 1, column: 1 } };
}

/** Something done to the service outside git. */
export type HandEdit =
  | { readonly kind: 'create'; readonly name: string; readonly owner: string | undefined }
  | { readonly kind: 'change'; readonly at: number; readonly fields: Record<string, unknown> }
  | { readonly kind: 'rename'; readonly at: number; readonly name: string }
  | { readonly kind: 'delete'; readonly at: number };

const at = fc.nat({ max: 7 });
export const handEdit: fc.Arbitrary<HandEdit> = fc.oneof(
  fc.record({
    kind: fc.constant('create' as const),
    name,
    owner: fc.constantFrom(undefined, 'other'),
  }),
  fc.record({
    kind: fc.constant('change' as const),
    at,
    fields: policyFields.map(withoutUndefined),
  }),
  fc.record({ kind: fc.constant('rename' as const), at, name }),
  fc.record({ kind: fc.constant('delete' as const), at }),
);
