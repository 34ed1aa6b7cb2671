import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { PolicyInput } from '../../src/contract/policies.ts';
import type { Resource } from '../../src/contract/resources.ts';
import type { PolicySet, PreparedPolicy } from '../../src/engine/evaluate.ts';
import {
  createPolicySet,
  evaluate,
  policiesFor,
  preparePolicy,
} from '../../src/engine/evaluate.ts';

const library = path.resolve(import.meta.dirname, '../../policies-example');

/** The policies of the library, those that are off, too. The library's own tests check its files. */
export const libraryPolicies: readonly PreparedPolicy[] = ['aws', 'azure', 'gcp']
  .flatMap((provider) =>
    readdirSync(path.join(library, provider), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.yaml') && !file.endsWith('.test.yaml'))
      .map((file) => path.join(library, provider, file)),
  )
  .sort()
  .map((file) => {
    const policy = parse(readFileSync(file, 'utf8')) as PolicyInput;
    return preparePolicy({ policy: { ...policy, enabled: true } });
  });

const policySet: PolicySet = createPolicySet(libraryPolicies);

/** The policies about a type. */
export const libraryFor = (type: string): readonly PreparedPolicy[] => policiesFor(policySet, type);

/** What each policy of the library says of a resource: the status, and the rules that decided it. */
export const verdictsOf = (resource: Resource): Readonly<Record<string, string>> =>
  Object.fromEntries(
    libraryFor(resource.type).map((policy) => {
      const { status, rules } = evaluate(policy, resource, Date.UTC(2026, 0, 1));
      return [policy.policy.name, [status, ...rules.map(({ index }) => index)].join(' ')];
    }),
  );
