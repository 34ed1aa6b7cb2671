import { isUnknown } from '../../attributes/values.ts';
import { fieldsOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import type { RawResource } from '../../model.ts';

/** What Azure keeps beside `properties` and conditions want to read too. */
const siblings = ['sku', 'kind', 'identity', 'zones', 'plan', 'managedBy', 'extendedLocation'];

/** Nothing is told of a resource whose `properties` are not known as a whole. */
export const toldOf = (resource: Fields): Pick<RawResource, 'only'> =>
  isUnknown(resource['properties']) ? { only: [] } : {};

/** The `properties` of a resource with their siblings; those of the same name inside win. */
export const propertiesOf = (resource: Fields): Fields => ({
  ...Object.fromEntries(
    siblings.flatMap((name) => {
      const value = Object.hasOwn(resource, name) ? resource[name] : undefined;
      return value === undefined || value === null ? [] : [[name, value] as const];
    }),
  ),
  ...(isUnknown(resource['properties']) ? {} : fieldsOf(resource['properties'])),
});

/** `West Europe`, as people write it, is `westeurope`; `global` is no region. */
export function regionName(location: unknown): string | undefined {
  if (typeof location !== 'string') return undefined;
  const region = location.toLowerCase().replaceAll(' ', '');
  return region === '' || region === 'global' ? undefined : region;
}
