import { UnknownValue } from '../../../contract/resources.ts';
import { isUnknown, not, waitsFor } from '../../attributes/values.ts';
import type { Resolver } from './resolver.ts';
import { holdsUnknown, isFields, own, scalarText, unclear } from './resolver.ts';

type Truth = boolean | UnknownValue;

/** Conditions that lead from one to the next; people go a few deep. */
const maxChain = 32;

/**
 * Whether a declared condition holds, worked out once each; what leads back to itself, or through too many others, is
 * unknown.
 * @param assumed the one that is taken to hold, whatever it says
 */
export function createConditions(
  resolver: () => Resolver,
  assumed?: string,
): (name: string) => Truth {
  const known = new Map<string, Truth>(assumed === undefined ? [] : [[assumed, true]]);
  let chain = 0;
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    known.set(name, new UnknownValue(`Condition ${name}`));
    const { conditions } = resolver();
    if (chain >= maxChain) return new UnknownValue(`Condition ${name}`);
    chain++;
    const held = Object.hasOwn(conditions, name)
      ? evaluateCondition(own(conditions, name), resolver())
      : false;
    chain--;
    const truth =
      !Object.hasOwn(conditions, name) || isUnknown(held)
        ? new UnknownValue(`Condition ${name}`, waitsFor(held))
        : held;
    known.set(name, truth);
    return truth;
  };
}

function evaluateCondition(expression: unknown, resolver: Resolver): Truth {
  if (!isFields(expression)) return unclear('condition');
  const [[name, argument] = ['', undefined], ...more] = Object.entries(expression);
  if (more.length > 0) return unclear('condition');
  if (name === 'Condition' && typeof argument === 'string') return resolver.holds(argument);
  if (!Array.isArray(argument)) return unclear(name);
  const items = argument as unknown[];
  switch (name) {
    case 'Fn::Equals':
      return items.length === 2
        ? areEqual(resolver.resolve(items[0]), resolver.resolve(items[1]))
        : unclear(name);
    case 'Fn::And':
      return every(items, resolver);
    case 'Fn::Or':
      return not(every(items, resolver, true));
    case 'Fn::Not':
      return items.length === 1 ? not(evaluateCondition(items[0], resolver)) : unclear(name);
    default:
      return unclear(name);
  }
}

/** Whether all hold; with `negated`, whether none does. */
function every(items: readonly unknown[], resolver: Resolver, negated = false): Truth {
  const open: UnknownValue[] = [];
  for (const item of items) {
    const held = evaluateCondition(item, resolver);
    if (held === negated) return false;
    if (isUnknown(held)) open.push(held);
  }
  const [first] = open;
  return first ? new UnknownValue(first.expression, waitsFor(...open)) : true;
}

/** As CloudFormation compares: values by their text. */
function areEqual(one: unknown, other: unknown): Truth {
  if (isUnknown(one) && isUnknown(other) && one.expression === other.expression) return true;
  if (holdsUnknown(one) || holdsUnknown(other))
    return new UnknownValue('Equals', waitsFor(one, other));
  return comparable(one) === comparable(other);
}

const comparable = (value: unknown): string | undefined =>
  scalarText(value) ?? JSON.stringify(value);
