import { isUnknown, list } from '../../values.ts';
import { field } from '../api-field.ts';

/** The value of a key in a load balancer's `{Key, Value}` attributes. */
export function loadBalancerAttribute(attributes: unknown, key: string): unknown {
  const pairs = list(attributes);
  if (isUnknown(pairs)) return pairs;
  return field(
    pairs.find((pair) => field(pair, 'Key') === key),
    'Value',
  );
}
