import type { UnknownValue } from '../../../contract/resources.ts';
import { isUnknown } from '../../attributes/values.ts';
import type { Fields } from './resolver.ts';

/**
 * The names that a resource gives itself: `Name`, or its type's last part with Name, Identifier or Id, such as
 * `BucketName` of a bucket. `FunctionName` of a permission is another resource's.
 */
export function ownNames(type: string, properties: Fields): (string | UnknownValue)[] {
  const noun = type.slice(type.lastIndexOf(':') + 1).toLowerCase();
  const names: (string | UnknownValue)[] = [];
  for (const [key, value] of Object.entries(properties)) {
    if (!isUnknown(value) && (typeof value !== 'string' || value === '')) continue;
    const stem = /^(.*)(?:Name|Identifier|Id)$/.exec(key)?.[1];
    if (stem !== undefined && noun.endsWith(stem.toLowerCase())) names.push(value);
  }
  return names;
}
