import type { Fields } from '../resolver.ts';
import { isFields, own } from '../resolver.ts';
import { isUnknown } from '../../../attributes/values.ts';
import { documentOfTemplate } from './policy-templates.ts';
import type { Declared, Made } from './written.ts';
import { added, arnOf, given, isIntrinsic, perhaps, tagPairs } from './written.ts';

export const managedPolicy = (path: string): string => `arn:aws:iam::aws:policy/${path}`;
const noValue = { Ref: 'AWS::NoValue' };

/** What SAM grants beside the `Policies` of a resource. */
interface Grants {
  /** The service that takes the role. */
  readonly service: string;
  readonly managed: readonly unknown[];
  readonly inline: readonly unknown[];
  readonly createdBy: string;
}

/** The role that a resource gets unless it names one, and the reference to whichever it is. */
export function roleOf(
  declared: Declared,
  grants: Grants,
): { readonly role: unknown; readonly made: readonly Made[] } {
  const { id, properties, resolve } = declared;
  const written = own(properties, 'Role');
  const named = resolve(written);
  const mayBeNone = isUnknown(named) && !named.present;
  if (named !== undefined && named !== null && !mayBeNone) return { role: written, made: [] };
  const policies = readPolicies(declared);
  const inline = [...grants.inline, ...policies.inline];
  const made = added(declared, 'Role', 'AWS::IAM::Role', {
    AssumeRolePolicyDocument:
      own(properties, 'AssumeRolePolicyDocument') ?? trustOf(grants.service),
    ManagedPolicyArns: [...grants.managed, ...policies.managed],
    Policies: inline.length > 0 ? inline : undefined,
    Path: own(properties, 'RolePath'),
    PermissionsBoundary: own(properties, 'PermissionsBoundary'),
    Tags: tagPairs(own(properties, 'Tags'), grants.createdBy),
  });
  return mayBeNone
    ? { role: written, made: [perhaps(made, `${id} has no Role`)] }
    : { role: arnOf(`${id}Role`), made: [made] };
}

export const trustOf = (service: string): Fields => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: ['sts:AssumeRole'], Principal: { Service: [service] } }],
});

export const inlinePolicy = (name: string, ...statements: readonly unknown[]): Fields => ({
  PolicyName: name,
  PolicyDocument: { Statement: statements },
});

interface Policies {
  readonly managed: readonly unknown[];
  readonly inline: readonly unknown[];
}

function readPolicies({ id, properties, resolve }: Declared): Policies {
  const written = own(properties, 'Policies');
  if (written === undefined || written === null) return { managed: [], inline: [] };
  const read = itemsOf(written, resolve).map((one, at) => readPolicy(one, `${id}RolePolicy${at}`));
  return {
    managed: read.flatMap(({ managed }) => managed ?? []),
    inline: read.flatMap(({ inline }) => inline ?? []),
  };
}

/** The single policies of what may be a list, or a function that gives one: those of a branch are each under its condition. */
function itemsOf(written: unknown, resolve: Declared['resolve']): readonly unknown[] {
  if (Array.isArray(written)) return written.flatMap((one) => itemsOf(one, resolve));
  const [condition, one, other, ...more] = listOf(isFields(written) && own(written, 'Fn::If'));
  if ((Array.isArray(one) || Array.isArray(other)) && more.length === 0) {
    return [
      ...itemsOf(one, resolve).map((item) => ({ 'Fn::If': [condition, item, noValue] })),
      ...itemsOf(other, resolve).map((item) => ({ 'Fn::If': [condition, noValue, item] })),
    ];
  }
  const known = isIntrinsic(written) ? resolve(written) : written;
  return Array.isArray(known) ? known : [written];
}

/** One of `Policies`: the name or ARN of a managed policy, a document, or a policy template with its parameters. */
function readPolicy(
  written: unknown,
  name: string,
): { readonly managed?: unknown; readonly inline?: unknown } {
  if (typeof written === 'string') {
    return { managed: written.startsWith('arn:') ? written : managedPolicy(written) };
  }
  if (isUnknown(written)) return { managed: written };
  if (!isFields(written)) return {};
  const [condition, ...branches] = listOf(own(written, 'Fn::If'));
  if (branches.length === 2) {
    const [one, other] = branches.map((branch) => readPolicy(branch, name));
    const either = (kind: 'managed' | 'inline') =>
      one?.[kind] === undefined && other?.[kind] === undefined
        ? undefined
        : { 'Fn::If': [condition, one?.[kind] ?? noValue, other?.[kind] ?? noValue] };
    return given({ managed: either('managed'), inline: either('inline') });
  }
  if (isIntrinsic(written))
    return own(written, 'Ref') === 'AWS::NoValue' ? {} : { managed: written };
  if (Object.hasOwn(written, 'Statement') || Object.hasOwn(written, 'Version')) {
    return { inline: { PolicyName: name, PolicyDocument: written } };
  }
  const [template = '', ...more] = Object.keys(written);
  const parameters = written[template];
  const document = documentOfTemplate(
    more.length === 0 ? template : Object.keys(written).join(', '),
    isFields(parameters) ? parameters : {},
  );
  return { inline: { PolicyName: name, PolicyDocument: document } };
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : [];
