import { nearestWord } from '../../contract/nearest.ts';
import { isTypePattern, matchesType } from '../../contract/resources.ts';
import type { CompiledCondition } from '../../engine/condition/compile.ts';
import { isOptionalAccess, termsOf } from '../../engine/condition/program.ts';
import type { Term } from '../../engine/condition/program.ts';
import type { SyntaxTree } from '../../engine/condition/syntax.ts';
import { providerNames } from '../../inventory/attributes/arguments.ts';
import { shapeOf, wellKnownNames, wellKnownTypes } from '../../inventory/attributes/shapes.ts';
import { spell, wordsOf } from '../../inventory/attributes/spelling.ts';
import type { Shape } from '../../inventory/attributes/shapes.ts';
import type { Finding } from './source.ts';
import { deployedTypes, isSamType } from '../../inventory/formats/cloudformation/sam/types.ts';
import { fits, isSpelled, isSurelyMeant } from './surely-meant.ts';

/** Something in a condition that is valid, and can hardly be meant. `offset` and `end` count from 0. */
interface Slip extends Finding {
  readonly offset: number;
  readonly end: number;
}

/** Looks for what is valid and can hardly be meant. */
export interface SlipFinder {
  /**
   * What a condition reads that resources of the type never have, and comparisons that come out the same for each of
   * them. Resources are open: a name that is like none of the known ones may be the user's own.
   */
  findSlips(condition: CompiledCondition, type: string): Slip[];
  /** A type that is not known and is written almost like one that is; in another case only, it is an error. */
  findTypeSlip(type: string): Finding | undefined;
}

/** Remembers what it looked up: a thousand policies are about a few types and names. */
export function createSlipFinder(): SlipFinder {
  const lookUps = memoise((type) => {
    const shape = shapeOf(type);
    return shape && createLookUp(shape, providerNames(type));
  });
  return {
    findSlips(condition, type) {
      const lookUp = lookUps(type);
      // Taken in any case: of what is only read, nobody asks for it any more.
      const tree = condition.takeTree();
      const { source } = condition;
      if (!lookUp || isSurelyFree(source, tree, lookUp)) return [];
      const { program } = condition;
      const slips = new Map<string, Slip>();
      for (const term of termsOf(program.root)) {
        const found = judgeName(term, source, lookUp) ?? judgeComparison(term, lookUp.shapeAt);
        // `has(a.b) && a.b` is one mistake.
        if (found && !slips.has(found.message)) slips.set(found.message, found);
      }
      return [...slips.values()].sort((a, b) => a.offset - b.offset);
    },
    findTypeSlip: memoise(judgeType),
  };
}

/** Characters. A tree of a longer condition can be too deep for functions that call themselves. */
const longestLookedAt = 1_000;

const isSurelyFree = (
  source: string,
  tree: SyntaxTree | undefined,
  { root, isSlip }: LookUp,
): boolean =>
  tree !== undefined && source.length <= longestLookedAt && isSurelyMeant(tree, root, isSlip);

function memoise<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, { readonly value: T }>();
  return (key) => {
    const found = made.get(key) ?? { value: make(key) };
    made.set(key, found);
    return found.value;
  };
}

/** What is likely a mistake in a type; undefined for a known type, a pattern, and one that is like none. */
export function judgeType(type: string): Finding | undefined {
  if (shapeOf(type)) return undefined;
  const spelled = spelledAsKnown(type);
  if (spelled !== undefined) {
    return {
      code: 'unknown-type',
      message: `resource_type ${type} differs only in case from ${spelled}, so the policy would never apply to a resource`,
      hint: `Did you mean ${spelled}?`,
    };
  }
  if (isTypePattern(type)) return undefined;
  if (isSamType(type)) {
    return {
      level: 'warning',
      code: 'unknown-type',
      message: `resource_type ${type} never matches: SAM templates are checked as the resources they deploy`,
      hint: `Use ${deployedTypes[type]}.`,
    };
  }
  const nearest = wellKnownTypes.find((known) => isSlipOf(type, known));
  return nearest === undefined
    ? undefined
    : {
        level: 'warning',
        code: 'unknown-type',
        message: `resource_type ${type} is unknown, so the policy may never apply to a resource`,
        hint: `Did you mean ${nearest}?`,
      };
}

/** The spelling of known types, where a type or a pattern fits one only without regard to case. */
function spelledAsKnown(type: string): string | undefined {
  if (wellKnownTypes.some((known) => matchesType(type, known))) return undefined;
  const lower = type.toLowerCase();
  const known = wellKnownTypes.find((one) => matchesType(lower, one.toLowerCase()));
  const parts = known?.split('::');
  return (
    parts &&
    type
      .split('::')
      .map((part, at) => (part === '*' ? part : parts[at]))
      .join('::')
  );
}

const lettersOf = (type: string): string => type.replace(/[^A-Za-z0-9]/g, '').toLowerCase();

/** Only in the last part: AWS::ECS::Cluster and AWS::EKS::Cluster are two types. */
function isSlipOf(type: string, known: string): boolean {
  if (lettersOf(type) === lettersOf(known)) return true;
  const [head, tail] = splitType(type);
  const [knownHead, knownTail] = splitType(known);
  return head === knownHead && tail.length > 3 && nearestWord(tail, [knownTail]) !== undefined;
}

function splitType(type: string): readonly [head: string, tail: string] {
  const at = Math.max(type.lastIndexOf('::'), type.lastIndexOf('/'));
  return [type.slice(0, at).toLowerCase(), type.slice(at)];
}

type ShapeAt = (path: string | undefined) => Shape | undefined;

interface LookUp {
  /** What is known of `resource`. */
  readonly root: Shape;
  /** Whether a name that `resource` is not known to have is like one that it has. */
  readonly isSlip: (name: string) => boolean;
  /** Whether it is what the provider calls a property, which `resource.properties` has. */
  readonly isProviders: (name: string) => boolean;
  /** What is known at a path of a program, such as `resource.ingress[*].cidrs`. */
  readonly shapeAt: ShapeAt;
  /** The known name that is most like the last one of a path. */
  readonly nearestTo: (path: string, key: string) => string | undefined;
}

const step = /\.(\w+)|\[("(?:[^"\\]|\\.)*")\]|\[(?:\*|\d+)\]/y;

function createLookUp(root: Shape, provided: ReadonlySet<string>): LookUp {
  const walk = (path: string): Shape | undefined => {
    if (!/^resource\b/.test(path)) return undefined;
    let here: Shape | undefined = root;
    step.lastIndex = 'resource'.length;
    while (here && step.lastIndex < path.length) {
      const match = step.exec(path);
      if (!match) return undefined;
      const [, name, quoted] = match;
      const key = quoted === undefined ? name : (JSON.parse(quoted) as string);
      here = key === undefined ? here.item : here.fields?.get(key);
    }
    return here;
  };
  const shapes = memoise(walk);
  const shapeAt: ShapeAt = (path) => (path === undefined ? undefined : shapes(path));
  const nearest = memoise((pathAndKey) => {
    const [path, key = ''] = pathAndKey.split('\n');
    // What other types have is spelled as it is meant.
    if (path === 'resource' && wellKnownNames.has(key)) return undefined;
    return nearestWord(key, shapeAt(path)?.fields?.keys() ?? []);
  });
  const nearestTo = (path: string, key: string) => nearest(`${path}\n${key}`);
  const isProviders = (name: string) => provided.has(name) && !wellKnownNames.has(name);
  const isSlip = memoise((name) => isProviders(name) || nearestTo('resource', name) !== undefined);
  return { root, isSlip, isProviders, shapeAt, nearestTo };
}

const named: Readonly<Record<string, string>> = {
  bool: 'true or false',
  int: 'a number',
  double: 'a number',
  string: 'a string',
  timestamp: 'a string',
};

/** The name that a part reads of another: `of.key`, `has(of.key)`, `of.?key`. */
function attributeRead(term: Term): { readonly of: Term; readonly key: string } | undefined {
  if (term.kind === 'select' || term.kind === 'has') return term;
  const [of, at] = isOptionalAccess(term) ? term.args : [];
  const key = at?.kind === 'constant' ? at.value : undefined;
  return of && typeof key === 'string' ? { of, key } : undefined;
}

function judgeName(term: Term, source: string, lookUp: LookUp): Slip | undefined {
  const { shapeAt, nearestTo, isProviders } = lookUp;
  const read = attributeRead(term);
  if (!read) return undefined;
  const { of, key } = read;
  const { path = '' } = of;
  const shape = shapeAt(path);
  if (!shape || shape.fields?.has(key)) return undefined;
  const ofProvider = path === 'resource' && isProviders(key);
  if (path === 'resource' && !ofProvider && nearestTo(path, key) === undefined) return undefined;
  const at = source.slice(term.start, term.end).lastIndexOf(key);
  const place =
    at < 0
      ? { offset: term.start, end: term.end }
      : { offset: term.start + at, end: term.start + at + key.length };
  const say = (message: string, hint: string | undefined): Slip => ({
    level: 'warning',
    code: 'unknown-attribute',
    message,
    hint,
    ...place,
  });
  if (!shape.fields) {
    if (shape.type?.startsWith('list'))
      return say(`${path} is a list and has no ${key}`, listHint(path, key, shape));
    const what = named[shape.type ?? ''];
    return what === undefined ? undefined : say(`${path} is ${what} and has no ${key}`, undefined);
  }
  const nearest = nearestTo(path, key);
  if (ofProvider && nearest === undefined) {
    return say(
      `${path} has no attribute ${key} in resources of this type`,
      `Use resource.properties.${key} for the property of the provider, or an attribute of docs/reference/attributes.md.`,
    );
  }
  return say(
    `${path} has no attribute ${key} in resources of this type`,
    nearest === undefined
      ? `Attributes: ${[...shape.fields.keys()].join(', ')}.`
      : `Did you mean ${nearest}?`,
  );
}

const listHint = (path: string, key: string, { item }: Shape): string | undefined =>
  item?.fields?.has(key)
    ? `Test the elements of the list: ${path}.exists(one, … one.${key} …), or .all.`
    : undefined;

function judgeComparison(term: Term, shapeAt: ShapeAt): Slip | undefined {
  if (term.kind !== 'call' || !['==', '!=', 'in'].includes(term.name)) return undefined;
  const [left, right] = term.args;
  if (!left || !right) return undefined;
  if (term.name === 'in') return judgeMembership(term, left, right, shapeAt);
  const [attribute, literal] = right.kind === 'constant' ? [left, right] : [right, left];
  if (literal.kind !== 'constant') return undefined;
  const shape = shapeAt(attribute.path);
  if (shape?.type === undefined || fits(shape, literal.value)) return undefined;
  const { type } = shape;
  const shown = showLiteral(literal.value);
  if (!isSpelled(shape, literal.value))
    return otherWord(term, attribute.path ?? '', shape, literal.value);
  const isList = type.startsWith('list');
  return neverEqual(
    term,
    `${attribute.path ?? ''} is ${isList ? 'a list' : (named[type] ?? type)}, so it never equals ${shown}`,
    isList ? `Use ${shown} in ${attribute.path ?? ''}.` : unquoted(type, literal.value),
  );
}

function judgeMembership(term: Term, left: Term, right: Term, shapeAt: ShapeAt): Slip | undefined {
  if (right.kind === 'constant' && Array.isArray(right.value)) {
    const shape = shapeAt(left.path);
    const values: readonly unknown[] = right.value;
    if (shape?.type === undefined || values.length === 0) return undefined;
    if (values.some((value) => fits(shape, value))) return undefined;
    const { type } = shape;
    const word = values.find((value) => !isSpelled(shape, value));
    if (word !== undefined) return otherWord(term, left.path ?? '', shape, word);
    const what = type.startsWith('list') ? 'a list' : (named[type] ?? type);
    return neverEqual(term, `${left.path ?? ''} is ${what}, so it is never in this list`);
  }
  const item = shapeAt(right.path)?.item;
  if (left.kind !== 'constant' || item?.type === undefined || fits(item, left.value))
    return undefined;
  const { type } = item;
  if (!isSpelled(item, left.value))
    return otherWord(term, `an element of ${right.path ?? ''}`, item, left.value);
  return neverEqual(
    term,
    `an element of ${right.path ?? ''} is ${named[type] ?? type}, so it never equals ${showLiteral(left.value)}`,
  );
}

const neverEqual = ({ start, end }: Term, message: string, hint?: string): Slip => ({
  level: 'warning',
  code: 'never-equal',
  message,
  hint,
  offset: start,
  end,
});

/** Words that are named in a hint. */
const mostWords = 8;

/** A word that is spelled otherwise, or is none of those that there are. */
function otherWord(term: Term, what: string, { spelling }: Shape, literal: unknown): Slip {
  const words = wordsOf(spelling);
  const meant = spelling && spell(String(literal), spelling);
  return neverEqual(
    term,
    `${what} never equals ${showLiteral(literal)}`,
    typeof meant !== 'string'
      ? `Values: ${words.slice(0, mostWords).map(showLiteral).join(', ')}${words.length > mostWords ? ', …' : ''}.`
      : `Did you mean ${showLiteral(meant)}?`,
  );
}

/** What was meant by a value in quotes. */
function unquoted(type: string, literal: unknown): string | undefined {
  if (typeof literal !== 'string') return undefined;
  const isValue = type === 'bool' ? /^(?:true|false)$/ : /^\d+$/;
  return type !== 'string' && isValue.test(literal) ? `Use ${literal} without quotes.` : undefined;
}

const showLiteral = (value: unknown): string =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : typeof value === 'boolean' || typeof value === 'bigint' || typeof value === 'number'
      ? String(value)
      : 'this value';
