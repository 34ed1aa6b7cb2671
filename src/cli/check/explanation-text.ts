import type { Style } from '../terminal.ts';
import type { PlacedFinding } from './collect.ts';

/** Which part of a condition had which value, below its finding. */
export function renderExplanation(
  _finding: PlacedFinding,
  _style: Style,
  _columns: number,
): string[] {
  return [];
}
