import { nearestWord } from '../../contract/nearest.ts';

/** What stands in a condition as other languages write it, and how CEL does. */
interface Translation {
  readonly offset: number;
  readonly end: number;
  readonly suggestion: string;
}

const operators: readonly [pattern: RegExp, suggestion: string][] = [
  [/^and\b/i, '&&'],
  [/^or\b/i, '||'],
  [/^=(?!=)/, '=='],
];

const macros = ['all', 'exists', 'exists_one', 'filter', 'map'];

const methods: ReadonlyMap<string, string> = new Map([
  ['any', 'exists'],
  ['some', 'exists'],
  ['find', 'exists'],
  ['every', 'all'],
  ['length', 'size'],
  ['len', 'size'],
  ['includes', 'contains'],
  ['toLowerCase', 'lowerAscii'],
  ['toUpperCase', 'upperAscii'],
]);

/** Looks for words of other languages where an expression stopped making sense. */
export function translate(source: string, offset: number): Translation | undefined {
  const rest = source.slice(offset);
  for (const [pattern, suggestion] of operators) {
    const [word] = pattern.exec(rest) ?? [];
    if (word !== undefined) return { offset, end: offset + word.length, suggestion };
  }
  const before = source.slice(0, offset);
  const not = /\bnot\s*$/.exec(before);
  if (not) return { offset: not.index, end: not.index + 3, suggestion: '!' };
  // `.any(x, …)`: what is complained of is `x`, which only a macro would declare.
  const called = /\.(\w+)\(\s*$/.exec(before);
  const at = called ? called.index + 1 : offset;
  const name = called?.[1] ?? /^\w+/.exec(rest)?.[0];
  if (name === undefined || macros.includes(name)) return undefined;
  const meant = methods.get(name) ?? (called ? nearestWord(name, macros) : undefined);
  return meant === undefined ? undefined : { offset: at, end: at + name.length, suggestion: meant };
}
