import type { UnknownValue } from '../../../contract/resources.ts';
import { isUnknown, readTags } from '../../attributes/values.ts';
import type { Fields, Resolver } from './resolver.ts';
import { either, isFields, own } from './resolver.ts';

type Tags = Fields | UnknownValue;

/** Where types keep their tags; most have `Tags`. */
const tagProperties = [
  'Tags',
  'FileSystemTags',
  'AccessPointTags',
  'HostedZoneTags',
  'HealthCheckTags',
  'UserPoolTags',
  'BackupPlanTags',
  'BackupVaultTags',
];

/**
 * The tags of a resource, of its properties as they are written: a tag that only one branch of an `Fn::If` gives is
 * unknown by itself, and the others stay known.
 */
export function readTemplateTags(written: unknown, resolver: Resolver): Tags {
  if (!isFields(written)) return {};
  const name = tagProperties.find((one) => Object.hasOwn(written, one));
  return name === undefined ? {} : tagsIn(written[name], resolver);
}

/** @param isPair whether it is one `{Key, Value}` of a list, rather than all tags as a list or a map */
function tagsIn(written: unknown, resolver: Resolver, isPair = false): Tags {
  if (Array.isArray(written)) return joinTags(written.map((pair) => tagsIn(pair, resolver, true)));
  const choice = isFields(written) && Object.keys(written).length === 1 && own(written, 'Fn::If');
  if (!Array.isArray(choice) || typeof choice[0] !== 'string') {
    const value = resolver.resolve(written);
    return readTags(isPair ? [value] : value);
  }
  const [condition, then, otherwise] = choice as [string, unknown, unknown];
  const held = resolver.holds(condition);
  if (!isUnknown(held)) return tagsIn(held ? then : otherwise, resolver, isPair);
  const branches = [then, otherwise].map((one) => tagsIn(one, resolver, isPair));
  return either(branches[0], branches[1], `If ${condition}`) as Tags; // of two maps is a map again
}

function joinTags(all: readonly Tags[]): Tags {
  return all.find(isUnknown) ?? Object.fromEntries(all.flatMap((tags) => Object.entries(tags)));
}
