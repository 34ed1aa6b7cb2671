import { defined } from '../../../contract/defined.ts';
import { UnknownValue } from '../../../contract/resources.ts';
import { isUnknown, waitsFor } from '../../attributes/values.ts';
import { countValues } from '../../count-values.ts';
import { cidrBlocks } from './cidr.ts';
import type { Intrinsic, Resolver } from './resolver.ts';
import {
  boundedText,
  composeText,
  either,
  holdsUnknown,
  isFields,
  own,
  scalarText,
  unclear,
} from './resolver.ts';

/** Every function that can stand in a property. Those that are not here are unknown. */
export const intrinsics: ReadonlyMap<string, Intrinsic> = new Map<string, Intrinsic>([
  ['Ref', ref],
  ['Fn::GetAtt', getAtt],
  ['Fn::Sub', sub],
  ['Fn::If', ifElse],
  ['Fn::Join', join],
  ['Fn::Select', select],
  ['Fn::Split', split],
  ['Fn::FindInMap', findInMap],
  ['Fn::Base64', base64],
  ['Fn::Cidr', cidr],
  ['Fn::Length', length],
  ['Fn::ToJsonString', toJsonString],
  ['Fn::ImportValue', importValue],
]);

/** What an item of a list takes beside its characters, in characters. */
const itemSize = 16;

function ref(argument: unknown, { parameters, isResource, spend }: Resolver): unknown {
  if (typeof argument !== 'string') return unclear('Ref');
  if (argument === 'AWS::NoValue') return undefined;
  const value = parameters.get(argument);
  if (Array.isArray(value) && !spend(value.length * itemSize)) return unclear(`Ref ${argument}`);
  // One object for each place, so that an attribute can be traced to its property.
  if (isUnknown(value)) return new UnknownValue(value.expression, defined({ ...value }));
  if (parameters.has(argument)) return value;
  return new UnknownValue(`Ref ${argument}`, isResource(argument) ? { target: argument } : {});
}

function getAtt(argument: unknown, { resolve, isResource, spend }: Resolver): unknown {
  const steps = (Array.isArray(argument) ? argument : [argument]).map((step) =>
    scalarText(resolve(step)),
  );
  const text = steps.join('.');
  if (!spend(text.length)) return unclear('GetAtt');
  const dot = text.indexOf('.');
  const target = text.slice(0, dot);
  if (dot < 0 || steps.includes(undefined)) return unclear(`GetAtt ${text}`);
  return new UnknownValue(
    `GetAtt ${text}`,
    isResource(target) ? { target, attribute: text.slice(dot + 1) } : {},
  );
}

/** `${Name}`, `${Name.Attribute}`, and `${!Literal}`, which stands for `${Literal}`. */
function sub(argument: unknown, resolver: Resolver): unknown {
  const [template, given] = (Array.isArray(argument) ? argument : [argument]) as unknown[];
  if (typeof template !== 'string') return unclear('Sub');
  const variables = new Map(
    isFields(given)
      ? Object.entries(given).map(([name, value]) => [name, resolver.resolve(value)])
      : [],
  );
  const pieces: unknown[] = [];
  let at = 0;
  for (;;) {
    const start = template.indexOf('${', at);
    const end = start < 0 ? -1 : template.indexOf('}', start);
    if (end < 0) break;
    if (start > at) pieces.push(template.slice(at, start));
    const name = template.slice(start + 2, end).trim();
    if (name.startsWith('!')) pieces.push(`\${${name.slice(1)}}`);
    else if (variables.has(name)) pieces.push(variables.get(name) ?? '');
    else pieces.push((name.includes('.') ? getAtt : ref)(name, resolver) ?? '');
    at = end + 1;
  }
  if (at < template.length || pieces.length === 0) pieces.push(template.slice(at));
  return composeText(pieces, `Sub ${template.slice(0, 200)}`, resolver);
}

function ifElse(argument: unknown, { holds, resolve }: Resolver): unknown {
  if (!Array.isArray(argument) || typeof argument[0] !== 'string') return unclear('If');
  const [name, then, otherwise] = argument as [string, unknown, unknown];
  const held = holds(name);
  if (isUnknown(held)) return either(resolve(then), resolve(otherwise), `If ${name}`, held);
  return resolve(held ? then : otherwise);
}

function join(argument: unknown, resolver: Resolver): unknown {
  if (!Array.isArray(argument)) return unclear('Join');
  const [separator, list] = argument.map(resolver.resolve);
  if (isUnknown(list)) return new UnknownValue(`Join ${list.expression}`, waitsFor(list));
  if (!Array.isArray(list) || typeof separator !== 'string') return unclear('Join');
  const pieces = list.flatMap((item: unknown, index) => (index > 0 ? [separator, item] : [item]));
  return pieces.length === 0 ? '' : composeText(pieces, 'Join', resolver);
}

function select(argument: unknown, { resolve }: Resolver): unknown {
  if (!Array.isArray(argument)) return unclear('Select');
  const [index, list] = argument.map(resolve);
  const from = isUnknown(list) ? list.expression : '';
  if (!Array.isArray(list) || isUnknown(index))
    return new UnknownValue(`Select ${from}`.trim(), waitsFor(index, list));
  return (list as unknown[])[Number(scalarText(index))] ?? unclear('Select');
}

function split(argument: unknown, { resolve, spend }: Resolver): unknown {
  if (!Array.isArray(argument)) return unclear('Split');
  const [separator, text] = argument.map(resolve);
  if (typeof separator !== 'string' || typeof text !== 'string' || separator === '') {
    return new UnknownValue(
      `Split ${isUnknown(text) ? text.expression : ''}`.trim(),
      waitsFor(separator, text),
    );
  }
  if (!spend(text.length)) return new UnknownValue('Split');
  const items = text.split(separator);
  return spend(items.length * itemSize) ? items : new UnknownValue('Split');
}

/** With a key that is not known, what all values have in common. */
function findInMap(argument: unknown, { resolve, mappings, lookups, spend }: Resolver): unknown {
  if (!Array.isArray(argument)) return unclear('FindInMap');
  const [name, first, second] = argument.slice(0, 3).map(resolve);
  const expression = `FindInMap ${typeof name === 'string' ? name : ''}`.trim();
  const mapping = typeof name === 'string' ? own(mappings, name) : undefined;
  const chooser = new UnknownValue(expression, waitsFor(name, first, second));
  const keys = [name, first, second].map((key) => (isUnknown(key) ? null : key));
  const key = JSON.stringify(keys);
  if (!spend(key.length)) return unclear('FindInMap');
  const found = lookups.has(key)
    ? lookups.get(key)
    : chosen([mapping], first)
        .flatMap((inner) => chosen([inner], second))
        .reduce(
          (all, one) => (all === undefined ? one : either(all, one, expression, chooser)),
          undefined,
        );
  if (keys.includes(null)) lookups.set(key, found);
  // What is found is walked by whatever stands around it, each time.
  const looked = keys.includes(null) && isFields(mapping) ? Object.keys(mapping).length : 0;
  if (!spend(looked + (countValues(found) - 1) * itemSize)) return unclear('FindInMap');
  if (found !== undefined) return found;
  const options: unknown = argument[3];
  return isFields(options) && Object.hasOwn(options, 'DefaultValue')
    ? resolve(options.DefaultValue)
    : chooser;
}

/** The values under a key, or under all of them when it is not known. */
const chosen = (maps: readonly unknown[], key: unknown): unknown[] =>
  maps.filter(isFields).flatMap((map) => {
    if (isUnknown(key)) return Object.values(map);
    const name = scalarText(key);
    return name !== undefined && Object.hasOwn(map, name) ? [map[name]] : [];
  });

function base64(argument: unknown, resolver: Resolver): unknown {
  const resolved = resolver.resolve(argument);
  const text = isUnknown(resolved) ? resolved.text : resolved;
  if (typeof text !== 'string') return new UnknownValue('Base64', waitsFor(resolved));
  const bytes = new TextEncoder().encode(text);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const encoded = boundedText(btoa(binary), 'Base64', resolver);
  return isUnknown(resolved) && typeof encoded === 'string'
    ? new UnknownValue('Base64', { text: encoded, ...waitsFor(resolved) })
    : encoded;
}

function cidr(argument: unknown, { resolve, spend }: Resolver): unknown {
  if (!Array.isArray(argument)) return unclear('Cidr');
  const [block, count, bits = 0] = argument.map(resolve);
  const blocks =
    typeof block === 'string'
      ? cidrBlocks(block, Number(scalarText(count)), Number(scalarText(bits)))
      : undefined;
  return blocks && spend(blocks.length * 2 * itemSize)
    ? blocks
    : new UnknownValue('Cidr', waitsFor(block, count, bits));
}

function length(argument: unknown, { resolve }: Resolver): unknown {
  const list = resolve(argument);
  return Array.isArray(list) ? list.length : new UnknownValue('Length', waitsFor(list));
}

function toJsonString(argument: unknown, resolver: Resolver): unknown {
  const value = resolver.resolve(argument);
  if (holdsUnknown(value) || value === undefined) {
    return new UnknownValue('ToJsonString', waitsFor(value));
  }
  return boundedText(JSON.stringify(value), 'ToJsonString', resolver);
}

function importValue(argument: unknown, { resolve }: Resolver): unknown {
  const name = resolve(argument);
  return new UnknownValue(
    `ImportValue ${isUnknown(name) ? name.expression : (scalarText(name) ?? '')}`,
  );
}
