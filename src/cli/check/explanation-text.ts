import { printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import type { ExplainedPart, ExplainedRule, PlacedFinding } from './placed-finding.ts';

/** Which part of a condition had which value, below its finding; parts stand below what they are parts of. */
export function renderExplanation(
  { explanation = [] }: PlacedFinding,
  style: Style,
  columns: number,
): string[] {
  return explanation.flatMap(({ index, effect, condition }: ExplainedRule) => [
    style.dim(`      rules[${index}] ${effect}`),
    ...renderPart(condition, 4, style, columns),
  ]);
}

function renderPart(
  { expression, value, undecided, item, parts }: ExplainedPart,
  level: number,
  style: Style,
  columns: number,
): string[] {
  const result =
    undecided === undefined
      ? style.cyan(printableLine(value ?? ''))
      : style.magenta(`error: ${printableLine(undecided)}`);
  const about = item === undefined ? '' : style.dim(`  for ${printableLine(item)}`);
  const line = `${'  '.repeat(level)}${printableLine(expression)} ${style.dim('→')} ${result}${about}`;
  return [
    wrapWords(line, columns),
    ...parts.flatMap((part) => renderPart(part, level + 1, style, columns)),
  ];
}
