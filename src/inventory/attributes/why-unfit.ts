import { nearestWord } from '../../contract/nearest.ts';
import { attributeTypeOf, ownAttributesOf } from './normalise.ts';

/**
 * Why a value can't be that of an attribute, given with dots; undefined: it can, or nothing is known of the type. Null
 * takes an attribute away.
 */
export function whyUnfit(type: string, attribute: string, value: unknown): string | undefined {
  const own = ownAttributesOf(type);
  if (own.length === 0) return undefined;
  const [first = '', ...rest] = attribute.split('.');
  if (first === 'tags') return rest.length === 0 ? 'must be an object' : whyNot('string', value);
  if (attribute === 'name') return whyNot('string', value);
  const declared = attributeTypeOf(type, attribute);
  if (declared !== undefined) return whyNot(declared, value);
  // An entry of a map, such as `parameters.ssl`.
  const map = attributeTypeOf(type, attribute.split('.').slice(0, -1).join('.'));
  if (map?.startsWith('map<') === true) return whyNot('string', value);
  const nearest = nearestWord(attribute, own);
  return `is not an attribute of ${type}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

function whyNot(type: string, value: unknown): string | undefined {
  if (value === null) return undefined;
  switch (type) {
    case 'bool':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'int':
      return Number.isSafeInteger(value) ? undefined : 'must be a whole number';
    case 'string':
    case 'timestamp':
      return typeof value === 'string' ? undefined : 'must be a string';
    case 'list<string>':
      return Array.isArray(value) && value.every((one) => typeof one === 'string')
        ? undefined
        : 'must be a list of strings';
    default:
      if (type.startsWith('map<')) return 'must be an object';
      return Array.isArray(value) ? undefined : 'must be a list';
  }
}
