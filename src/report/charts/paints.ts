import type { Paint } from './drawing.ts';

/**
 * The colors of charts on white, as `#rrggbb`: the same in every format that has one look. Words have a contrast of at
 * least 4.5 : 1 to what is behind them, areas and lines 3 : 1.
 */
export const paintsOnWhite: Readonly<Record<Paint, string>> = {
  critical: '#8f1d2c',
  high: '#c4532c',
  medium: '#a8790f',
  low: '#4d82b3',
  pass: '#3a8a5d',
  fail: '#b9373b',
  exempt: '#7c6cb0',
  error: '#6c7986',
  first: '#2c5f8d',
  second: '#bd671a',
  third: '#55853a',
  fourth: '#7a5aa6',
  fifth: '#b3508a',
  sixth: '#2f8585',
  others: '#6c7986',
  text: '#1b2733',
  muted: '#566473',
  grid: '#d5dce3',
  background: '#ffffff',
};
