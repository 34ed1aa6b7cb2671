import { defined } from '../../../contract/defined.ts';
import { UnknownValue } from '../../../contract/resources.ts';
import type {
  DocumentPath,
  DocumentProblem,
  LeftOut,
  RawResource,
  ReadDocument,
  Reader,
  ReadOptions,
} from '../../model.ts';
import { shapeOf } from '../../attributes/shapes.ts';
import { isUnknown } from '../../attributes/values.ts';
import type { Budget, TemplateResolver } from './create-resolver.ts';
import { createBudget, createResolver } from './create-resolver.ts';
import { withGlobals } from './globals.ts';
import { isLoop } from './loops.ts';
import { noticesOfMacros, noticesOfModules } from './macros.ts';
import { ownNames } from './own-names.ts';
import { skipsIn } from './metadata-skips.ts';
import { suppressedRules } from './suppressed-rules.ts';
import { readParameters } from './parameters.ts';
import type { Entry } from './loops.ts';
import type { Fields, Scope } from './resolver.ts';
import { expandSam } from './sam/expand.ts';
import type { Deployed } from './sam/expand.ts';
import { isFields, own } from './resolver.ts';
import { readTemplateTags } from './tags.ts';

/** CloudFormation and SAM templates. */
export const cloudformation: Reader = {
  format: 'cloudformation',
  detects: (document) =>
    isFields(document) &&
    (isFields(own(document, 'Resources')) ||
      Object.hasOwn(document, 'AWSTemplateFormatVersion') ||
      JSON.stringify(own(document, 'Transform') ?? null).includes('AWS::Serverless')),
  read: readTemplate,
};

/** What the resources of one template share. */
interface Template {
  readonly resolver: TemplateResolver;
  /** The template as it is under a condition; undefined where what a false one leaves out is not read. */
  readonly assuming: ((condition: string) => TemplateResolver) | undefined;
  readonly globals: Fields;
  readonly region: string | UnknownValue;
  readonly account: string | UnknownValue;
}

function readTemplate(document: unknown, options: ReadOptions): ReadDocument {
  const problems: DocumentProblem[] = [];
  if (!isFields(document)) {
    return { raws: [], problems: [{ message: 'a CloudFormation template must be a map' }] };
  }
  const section = (name: string): Fields => {
    const value = own(document, name);
    if (value === undefined || value === null || isFields(value)) return value ?? {};
    problems.push({ message: `${name} must be a map`, at: [name] });
    return {};
  };
  if (own(document, 'Fn::Transform') !== undefined) {
    problems.push({ message: openTransform, at: ['Fn::Transform'] });
  }
  if (own(document, 'Resources') === undefined || own(document, 'Resources') === null) {
    problems.push({ message: 'the template has no Resources' });
  }
  const given = options.parameters ?? {};
  const resources = section('Resources');
  const parameters = readParameters(section('Parameters'), given);
  const declared = new Set(Object.keys(resources));
  const scope: Scope = {
    parameters: parameters.values,
    mappings: section('Mappings'),
    conditions: section('Conditions'),
    isResource: (name) => declared.has(name),
  };
  const budget = createBudget();
  const resolver = createResolver(scope, budget);
  const entries = resolver.entries(resources);
  for (const { key } of entries) declared.add(key);
  const template: Template = {
    resolver,
    assuming: options.allConditions ? createAssuming(scope, budget) : undefined,
    globals: section('Globals'),
    region: deployedTo(given, 'AWS::Region'),
    account: deployedTo(given, 'AWS::AccountId'),
  };
  const { deployed, notices } = expandSam(entries, template.globals, (one) => {
    const { resolver: own } = underCondition(one, template);
    return own?.resolve;
  });
  for (const { key } of deployed) declared.add(key);
  const raws: RawResource[] = [];
  const leftOut = listEmptyLoops(resources, entries);
  const open = new Map<string, DocumentProblem>();
  for (const entry of deployed) {
    const { key, from } = entry;
    const at = ['Resources', from];
    if (isLoop(key)) {
      open.set(`${from} ${key}`, { message: openLoop(key), at });
      continue;
    }
    if (key === 'Fn::Transform') {
      open.set(key, { message: openTransform, at });
      continue;
    }
    const read = readResource(entry, at, template);
    if ('message' in read) problems.push(read);
    else if ('condition' in read) leftOut.push(read);
    else raws.push(read);
  }
  return {
    raws,
    leftOut,
    isPart: true,
    problems: [...problems, ...open.values(), ...parameters.problems],
    notices: [...noticesOfMacros(document), ...noticesOfModules(raws), ...notices],
  };
}

/** A resolver for each condition that is taken to hold, made when it is first asked for. */
function createAssuming(scope: Scope, budget: Budget): NonNullable<Template['assuming']> {
  const known = new Map<string, TemplateResolver>();
  return (condition) => {
    const resolver = known.get(condition) ?? createResolver(scope, budget, condition);
    known.set(condition, resolver);
    return resolver;
  };
}

/** What loops over an empty list would make: nobody can say of what, so that no option brings it back. */
function listEmptyLoops(resources: Fields, entries: readonly Entry[]): LeftOut[] {
  const made = new Set(entries.map(({ from }) => from));
  return Object.entries(resources).flatMap(([key, loop]) => {
    if (!isLoop(key) || made.has(key)) return [];
    const [, , body] = loop as unknown[]; // a loop that was written out is a list of three
    return Object.entries(isFields(body) ? body : {}).map(([address, declared]) => ({
      address,
      type: String((isFields(declared) ? own(declared, 'Type') : undefined) ?? 'unknown'),
      condition: `${key} over an empty list`,
      at: ['Resources', key],
    }));
  });
}

/** A template does not say where it will be deployed; whoever deploys it may. */
const deployedTo = (given: Fields, name: string): string | UnknownValue => {
  const place = own(given, name);
  return typeof place === 'string' ? place : new UnknownValue(name);
};

const openLoop = (key: string): string =>
  `${key} cannot be expanded: its list is unknown (pass its parameters), or it creates too many resources`;

const openTransform =
  'Fn::Transform adds resources that are not in the template, so they are not checked; also check the processed template (aws cloudformation get-template --template-stage Processed)';

/** Whether the condition of a resource holds, and what works out its values; nothing where it is left out. */
function underCondition(
  declared: Fields,
  { resolver, assuming }: Template,
): {
  readonly held?: boolean | UnknownValue;
  readonly condition?: string;
  readonly resolver: TemplateResolver | undefined;
} {
  const condition = own(declared, 'Condition');
  if (typeof condition !== 'string') return { resolver };
  const held = resolver.holds(condition);
  return { held, condition, resolver: held === false ? assuming?.(condition) : resolver };
}

function readResource(
  { key: address, value: declared, sam }: Deployed,
  at: DocumentPath,
  template: Template,
): RawResource | DocumentProblem | LeftOut {
  if (!isFields(declared)) return { message: `the resource ${address} must be a map`, at };
  const type = own(declared, 'Type');
  if (type === undefined) return { message: `the resource ${address} has no Type`, at };
  if (typeof type !== 'string') {
    return { message: `the Type of ${address} must be a string`, at: [...at, 'Type'] };
  }
  if (!/^[^:\s]+::[^\s]+$/.test(type)) {
    return {
      message: `the resource ${address} has the Type ${JSON.stringify(type)}; it must look like AWS::S3::Bucket`,
      at: [...at, 'Type'],
    };
  }
  const slip = Object.keys(declared).find((key) => key !== 'Properties' && key.toLowerCase() === 'properties'); // prettier-ignore
  if (slip !== undefined) {
    return { message: `the resource ${address} has "${slip}"; write "Properties"`, at: [...at, slip] }; // prettier-ignore
  }
  const { held, condition = '', resolver } = underCondition(declared, template);
  if (!resolver) return { address, type, condition, at };
  const written = withGlobals(type, own(declared, 'Properties'), template.globals);
  const resolved = Object.hasOwn(declared, 'Fn::Transform')
    ? resolver.resolve({ 'Fn::Transform': {} })
    : (resolver.resolve(written) ?? {});
  if (!isFields(resolved) && !isUnknown(resolved)) {
    return { message: `the Properties of ${address} must be a map`, at: [...at, 'Properties'] };
  }
  const properties = isUnknown(resolved) ? {} : resolved;
  const small = findSmall(type, properties);
  if (small !== undefined) {
    const name = small.charAt(0).toUpperCase() + small.slice(1);
    return { message: `${address} has the property "${small}"; properties begin with a capital letter: write "${name}"`, at: [...at, 'Properties', small] }; // prettier-ignore
  }
  const tags = isUnknown(resolved) ? resolved : readTemplateTags(written, resolver);
  const given = ownNames(type, properties);
  const names = given.filter((one) => typeof one === 'string');
  const name = names[0] ?? given[0] ?? nameTag(tags);
  const metadata = own(declared, 'Metadata');
  const suppressed = suppressedRules(metadata);
  const skips = skipsIn(metadata, [...at, 'Metadata']);
  return {
    address,
    id: address,
    type,
    ...defined({ name }),
    region: template.region,
    account_id: template.account,
    tags,
    properties,
    source: {
      format: 'cloudformation',
      address,
      ...sourceFields(declared, resolver),
      ...(held === undefined ? {} : { condition: isUnknown(held) ? held : condition }),
      ...(sam ? { sam_type: sam.type, sam_resource: sam.resource } : {}),
    },
    names,
    at,
    ...(isUnknown(resolved) ? { only: [], given: { properties: resolved } } : {}),
    ...(suppressed.length === 0 ? {} : { suppressed }),
    ...(skips.length === 0 ? {} : { skips }),
  };
}

/** A property that AWS would refuse: read as nothing, it would pass. Other types may have properties of any name. */
const findSmall = (type: string, properties: Fields): string | undefined =>
  shapeOf(type) ? Object.keys(properties).find((name) => /^[a-z]/.test(name)) : undefined;

const sourceNames = [
  ['deletion_policy', 'DeletionPolicy'],
  ['update_replace_policy', 'UpdateReplacePolicy'],
  ['metadata', 'Metadata'],
  ['depends_on', 'DependsOn'],
] as const;

function sourceFields(declared: Fields, resolver: TemplateResolver): Fields {
  return Object.fromEntries(
    sourceNames.flatMap(([name, attribute]) => {
      const value = resolver.resolve(own(declared, attribute));
      return value === undefined || value === null ? [] : [[name, value]];
    }),
  );
}

function nameTag(tags: RawResource['tags']): string | UnknownValue | undefined {
  const name = isUnknown(tags) ? undefined : own(tags, 'Name');
  return typeof name === 'string' || isUnknown(name) ? name : undefined;
}
