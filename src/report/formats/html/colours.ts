import type { Paint } from '../../charts/drawing.ts';
import { paintsOnWhite } from '../../charts/paints.ts';

type Colours = Readonly<Record<Paint, string>>;

// Contrasts are those of the light ones.
const dark: Colours = {
  critical: '#f0707f',
  high: '#ef8a5f',
  medium: '#dcae48',
  low: '#7fb2de',
  pass: '#62b889',
  fail: '#ee7d80',
  exempt: '#aa9cdc',
  error: '#9aa7b4',
  first: '#78aede',
  second: '#e29a56',
  third: '#93bd74',
  fourth: '#b49be0',
  fifth: '#e092bf',
  sixth: '#6fc4c4',
  others: '#9aa7b4',
  text: '#e3e8ed',
  muted: '#a3afbb',
  grid: '#37424d',
  background: '#14191f',
};

/** Of what is no chart: surfaces, rules, and the words of tones and severities. */
const lightSurfaces = {
  raised: '#f5f7f9',
  head: '#e9eef3',
  rule: '#c3ccd5',
  hairline: '#e4e9ee',
  accent: '#1f4468',
  link: '#1b5a96',
  focus: '#1b5a96',
  'good-ink': '#23633f',
  'good-ground': '#edf6f0',
  'bad-ink': '#8f1d2c',
  'bad-ground': '#fbeff0',
  'warn-ink': '#7d5200',
  'warn-ground': '#fdf6e7',
  'neutral-ink': '#1f4468',
  'neutral-ground': '#eff4f9',
  'high-ink': '#a63f1c',
  'low-ink': '#2c5f8d',
  watermark: 'rgb(27 39 51 / 7%)',
} as const;

const darkSurfaces: Record<keyof typeof lightSurfaces, string> = {
  raised: '#1b222a',
  head: '#222b35',
  rule: '#414d59',
  hairline: '#2a333d',
  accent: '#a9cbea',
  link: '#8bbdec',
  focus: '#8bbdec',
  'good-ink': '#7fd0a4',
  'good-ground': '#16281f',
  'bad-ink': '#f79aa5',
  'bad-ground': '#301a1e',
  'warn-ink': '#e5bd68',
  'warn-ground': '#2b2415',
  'neutral-ink': '#a9cbea',
  'neutral-ground': '#182634',
  'high-ink': '#f2a07b',
  'low-ink': '#8bbdec',
  watermark: 'rgb(227 232 237 / 7%)',
};

const variables = (colours: Readonly<Record<string, string>>): string =>
  Object.entries(colours)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';');

/** The variables of both, dark where the reader's system is and a screen shows it. */
export const colourStyle = `
:root{color-scheme:light;${variables({ ...paintsOnWhite, ...lightSurfaces })}}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;${variables({ ...dark, ...darkSurfaces })}}}
${Object.keys(paintsOnWhite)
  .map((paint) => `.f-${paint}{fill:var(--${paint})}.s-${paint}{stroke:var(--${paint})}`)
  .join('')}
`;
