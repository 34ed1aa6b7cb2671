import type { ASTNode } from '@marcbachmann/cel-js';
import { findFunction, findMethod } from './functions.ts';
import type { Language } from './language.ts';
import { isSurelyPattern } from './matching.ts';
import { isBinary, isInt } from './nodes.ts';
import { loopOf } from './program.ts';

/**
 * Whether a node of a checked tree is of those that a program can always be made of. A tree of nothing else can wait for
 * its program until it runs; any other is lowered at once, so that what is wrong with it is told.
 */
export function surelyLowers(node: ASTNode, { hasName, variables }: Language): boolean {
  switch (node.op) {
    case 'value':
      return typeof node.args !== 'bigint' || isInt(node.args);
    case 'id':
      // What the checker took and the language does not know is the variable of a macro.
      return variables.includes(node.args) || !hasName(node.args);
    case 'call': {
      const [name, args] = node.args;
      if (name === 'has') return args.length === 1 && args[0]?.op === '.';
      return findFunction(name, args.length) !== undefined;
    }
    case 'rcall': {
      const [name, , args] = node.args;
      const loop = loopOf(name, args.length);
      if (loop) return args.slice(0, loop.variables).every(({ op }) => op === 'id');
      const [pattern] = args;
      const isRead = name !== 'matches' || pattern?.op !== 'value';
      return (
        (isRead || isSurelyPattern(pattern.args)) && findMethod(name, args.length + 1) !== undefined
      );
    }
    case '.':
    case '[]':
    case 'list':
    case '?:':
    case '||':
    case '&&':
    case '-_':
    case '!_':
      return true;
    default:
      return isBinary(node);
  }
}
