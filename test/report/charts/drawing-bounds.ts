import type { Drawing, MeasureText, Shape } from '../../../src/report/charts/drawing.ts';

/** About a wide sans serif face; CJK takes a full square. */
export const measure: MeasureText = (text, size, bold) =>
  [...text].reduce((sum, char) => sum + ((char.codePointAt(0) ?? 0) > 0x2e7f ? 1 : 0.6), 0) *
  size *
  (bold ? 1.08 : 1);

export interface Bounds {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export function boundsOf(shape: Shape): Bounds {
  if (shape.kind === 'text') {
    const width = measure(shape.text, shape.size, shape.bold ?? false);
    const part = { start: 0, middle: 0.5, end: 1 }[shape.anchor];
    const left = shape.x - width * part;
    const box = { top: shape.y - shape.size * 0.8, bottom: shape.y + shape.size * 0.25 };
    return { left, right: left + width, ...box };
  }
  const { xs, ys } = pointsOf(shape.d);
  const around = shape.stroke ? (shape.strokeWidth ?? 1) / 2 : 0;
  return {
    left: Math.min(...xs) - around,
    right: Math.max(...xs) + around,
    top: Math.min(...ys) - around,
    bottom: Math.max(...ys) + around,
  };
}

export const textsOf = ({ shapes }: Drawing): string[] =>
  shapes.flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []));

export const labelsOf = ({ shapes }: Drawing): string[] =>
  shapes.flatMap((shape) => (shape.kind === 'path' && shape.label ? [shape.label] : []));

const arguments_ = { M: 2, L: 2, A: 7, H: 1, V: 1, C: 6, Z: 0 } as const;

/** Ends of lines and curves; @throws for what is no path data of absolute commands */
function pointsOf(d: string): { readonly xs: number[]; readonly ys: number[] } {
  const xs: number[] = [];
  const ys: number[] = [];
  for (const part of d.match(/[A-Za-z][^A-Za-z]*/g) ?? []) {
    const command = part[0] as keyof typeof arguments_;
    const numbers = part.slice(1).split(/[ ,]+/).filter(Boolean).map(Number);
    if (numbers.length !== arguments_[command] || !numbers.every(Number.isFinite)) {
      throw new Error(`no path data: ${part} of ${d}`);
    }
    if (command === 'H') xs.push(...numbers);
    else if (command === 'V') ys.push(...numbers);
    else if (command !== 'Z') {
      xs.push(numbers.at(-2) ?? NaN);
      ys.push(numbers.at(-1) ?? NaN);
    }
  }
  return { xs, ys };
}
