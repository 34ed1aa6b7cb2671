import type { Style } from './terminal.ts';

export function paintSeverity(text: string, severity: string | undefined, style: Style): string {
  if (severity === 'CRITICAL') return style.red.bold(text);
  if (severity === 'HIGH') return style.red(text);
  if (severity === 'MEDIUM') return style.yellow(text);
  return text;
}
