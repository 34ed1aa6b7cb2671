import { loopOf } from '../../engine/condition/program.ts';
import type { SyntaxTree } from '../../engine/condition/syntax.ts';
import type { Shape } from '../../inventory/attributes/shapes.ts';
import { spell } from '../../inventory/attributes/spelling.ts';

/** Names in reach, innermost first, with what is known of them. */
interface Scope {
  readonly name: string;
  readonly shape: Shape | undefined;
  readonly outer?: Scope;
}

/**
 * A quick look that spares most conditions the search for slips: whether each attribute that is read is known, and is
 * compared with a plain literal of its type or with another attribute. Of anything less usual it says false.
 * @param root what is known of `resource`
 * @param isSlip whether a name that `resource` is not known to have is like one that it has
 */
export function isSurelyMeant(
  tree: SyntaxTree,
  root: Shape,
  isSlip: (name: string) => boolean,
): boolean {
  const look = new Look(root, isSlip);
  look.at(tree, { name: 'resource', shape: root });
  return look.isMeant;
}

class Look {
  isMeant = true;
  readonly #root: Shape;
  readonly #isSlip: (name: string) => boolean;

  constructor(root: Shape, isSlip: (name: string) => boolean) {
    this.#root = root;
    this.#isSlip = isSlip;
  }

  /** What is known of the attribute that a node stands for. */
  at(node: SyntaxTree, scope: Scope): Shape | undefined {
    switch (node.op) {
      case 'value':
        return undefined;
      case 'id':
        return find(scope, node.args)?.shape;
      case '.':
      case '.?':
        return this.#field(this.at(node.args[0], scope), node.args[1]);
      case '[]':
      case '[?]': {
        const of = this.at(node.args[0], scope);
        const [, place] = node.args;
        if (place.op === 'value' && typeof place.args === 'string') {
          return this.#field(of, place.args);
        }
        this.at(place, scope);
        return of?.item;
      }
      case 'call': {
        const [name, args] = node.args;
        const [first] = args.map((arg) => this.at(arg, scope));
        return name === 'has' ? first : undefined;
      }
      case 'rcall':
        this.#method(...node.args, scope);
        return undefined;
      case '==':
      case '!=':
        this.#comparison(node.args[0], node.args[1], scope);
        return undefined;
      case 'in':
        this.#membership(node.args[0], node.args[1], scope);
        return undefined;
      default:
        this.#each(node.args, scope);
        return undefined;
    }
  }

  /** Operands are a node, nodes, or pairs of them. */
  #each(args: unknown, scope: Scope): void {
    if (Array.isArray(args)) for (const one of args) this.#each(one, scope);
    else if (typeof args === 'object' && args !== null && 'op' in args) {
      this.at(args as SyntaxTree, scope); // nothing else in a tree has an `op`
    }
  }

  #field(of: Shape | undefined, key: string): Shape | undefined {
    const field = of?.fields?.get(key);
    if (!of || field) return field;
    const isOpen = !of.fields && of.type?.startsWith('map') === true;
    if (of === this.#root ? this.#isSlip(key) : !isOpen) this.isMeant = false;
    return undefined;
  }

  #method(name: string, receiver: SyntaxTree, args: readonly SyntaxTree[], scope: Scope): void {
    const of = this.at(receiver, scope);
    const { variables } = loopOf(name, args.length) ?? { variables: 0 };
    let inner = scope;
    for (const [i, variable] of args.slice(0, variables).entries()) {
      const shape = i === variables - 1 ? of?.item : undefined;
      if (variable.op === 'id') inner = { name: variable.args, shape, outer: inner };
    }
    for (const arg of args) this.at(arg, inner);
  }

  #comparison(left: SyntaxTree, right: SyntaxTree, scope: Scope): void {
    const leftShape = this.at(left, scope);
    const rightShape = this.at(right, scope);
    if (!canEqual(leftShape, right, scope) || !canEqual(rightShape, left, scope)) {
      this.isMeant = false;
    }
  }

  #membership(left: SyntaxTree, right: SyntaxTree, scope: Scope): void {
    const shape = this.at(left, scope);
    const item = this.at(right, scope)?.item;
    const isMeant =
      right.op === 'list'
        ? shape?.type === undefined ||
          right.args.some((one) => one.op === 'value' && fits(shape, one.args))
        : canEqual(item, left, scope);
    if (!isMeant) this.isMeant = false;
  }
}

function find(scope: Scope | undefined, name: string): Scope | undefined {
  for (let at = scope; at; at = at.outer) if (at.name === name) return at;
  return undefined;
}

/** Whether an attribute is surely compared with what it can equal: a literal that fits, or no literal. */
function canEqual(shape: Shape | undefined, other: SyntaxTree, scope: Scope): boolean {
  if (shape?.type === undefined || other.op === '.' || other.op === '[]') return true;
  return other.op === 'value' ? fits(shape, other.args) : isVariable(other, scope);
}

const isVariable = (node: SyntaxTree, scope: Scope): boolean =>
  node.op === 'id' && find(scope, node.args) !== undefined;

/** Whether a value of an attribute can equal the literal; of what is not told apart here, yes. */
export const fits = (shape: Shape, literal: unknown): boolean =>
  fitsType(shape.type ?? '', literal) && isSpelled(shape, literal);

/** An empty text says nothing, and stays as it is. */
export function isSpelled({ spelling }: Shape, literal: unknown): boolean {
  if (spelling === undefined || typeof literal !== 'string' || literal === '') return true;
  return spell(literal, spelling) === literal;
}

function fitsType(type: string, literal: unknown): boolean {
  if (literal === null) return true;
  switch (type) {
    case 'bool':
      return typeof literal === 'boolean';
    case 'int':
    case 'double':
      return typeof literal !== 'string' && typeof literal !== 'boolean';
    case 'string':
    case 'timestamp':
      return typeof literal === 'string';
    default:
      return !type.startsWith('list') || Array.isArray(literal);
  }
}
