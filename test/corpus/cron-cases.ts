import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { nextFire } from '../../src/calendar/fires.ts';
import { instantOf, offsetAt, wallAt } from '../../src/calendar/zone.ts';
import { cronFault, readCron } from '../../src/contract/cron.ts';

const data = path.resolve(import.meta.dirname, '../../../shared/data/cron');
const files = {
  robfig: path.join(data, 'robfig__cron/robfig-cron.json'),
  cronos: path.join(data, 'HangfireIO__Cronos/cronos.json'),
};
export const hasCronCases = Object.values(files).every((file) => existsSync(file));

type Case = Readonly<{
  id: string;
  spec: string;
  seconds_field?: boolean | null;
  tz?: string;
}> &
  (
    | { readonly kind: 'valid' | 'invalid' }
    | { readonly kind: 'activation'; readonly at: string; readonly fires: boolean }
    | { readonly kind: 'never' }
    | {
        readonly kind: 'next';
        /** Exclusive. */
        readonly after?: string;
        /** Exclusive unless `inclusive`. */
        readonly from?: string;
        readonly inclusive?: boolean;
        readonly expected: string | null;
      }
  );

/** The differences, by what they are called in docs/schedules.md. */
export const differences = {
  seconds: 'Field for seconds',
  names: 'Names such as `@daily`',
  zonePrefix: 'Time zone in the expression',
  question: '`?`',
  special: '`L`, `W` and `#`',
  backwards: 'Reversed ranges',
  days: 'Both days restricted',
  skipped: 'Skipped time',
  repeated: 'Repeated time',
} as const;
export type Verdict = keyof typeof differences | 'agrees' | 'unexplained';

/** What our refusal of a form says: it has to be named, not only refused. */
const refusals: readonly (readonly [keyof typeof differences, RegExp])[] = [
  ['seconds', /has six fields; seconds are not supported/],
  ['names', /schedule names are not supported/],
  ['zonePrefix', /contains a time zone/],
  ['question', /\? is not supported/],
  ['special', /L, W and # are not supported/],
  ['backwards', /must not start after its end/],
];

/** Read as we would be asked for it: what says the same in our five fields. */
function translate(
  spec: string,
  hasSeconds: boolean,
): { cron: string; via: Verdict; zone?: string } {
  let cron = spec.trim();
  let via: Verdict = 'agrees';
  const zone = /^(?:CRON_)?TZ=(\S+)\s+/.exec(cron)?.[1];
  if (zone !== undefined) {
    expect(cronFault(cron)).toMatch(/contains a time zone/);
    cron = cron.replace(/^\S+\s+/, '');
    via = 'zonePrefix';
  }
  if (hasSeconds && cron.split(/\s+/).length === 6) {
    expect(cronFault(cron)).toMatch(/seconds are not supported/);
    if (/^0\s/.test(cron)) cron = cron.replace(/^0\s+/, '');
    via = 'seconds';
  }
  if (cron.includes('?')) {
    cron = cron.replaceAll('?', '*');
    if (via === 'agrees') via = 'question';
  }
  return { cron, via, ...(zone === undefined ? {} : { zone }) };
}

/** An instant of one of the many forms of the two files; without an offset it is a wall time of the zone. */
function instant(text: string, zone: string): { floor: number; ceiling: number } {
  const iso = text
    .replace(/^TZ=\S+ /, '')
    .replace(/([+-]\d\d)(\d\d)$/, '$1:$2')
    .replace(/ ([+-]\d\d:\d\d)$/, '$1');
  const finer = /\.\d{3}(\d+)/.exec(iso)?.[1] ?? '';
  const cut = iso.replace(/(\.\d{3})\d+/, '$1').replace(/^(\d{4}-\d\d-\d\d) /, '$1T');
  const hasOffset = /[+-]\d\d:\d\d$/.test(cut);
  // Parsed as UTC: wall times are such.
  const wall = Date.parse(/^\d{4}-\d\d-\d\d$/.test(cut) || hasOffset ? cut : `${cut}Z`);
  if (Number.isNaN(wall)) throw new Error(`what time is ${text}?`);
  const floor = hasOffset ? wall : instantOf(zone, wall);
  return { floor, ceiling: floor + (/[1-9]/.test(finer) ? 1 : 0) };
}

const refusalOf = (cron: string): Verdict => {
  const fault = cronFault(cron) ?? '';
  return refusals.find(([, says]) => says.test(fault))?.[0] ?? 'unexplained';
};

function judgeNext(one: Extract<Case, { kind: 'next' }>): Verdict {
  const { cron, via, zone: own } = translate(one.spec, one.seconds_field === true);
  const given = one.after ?? one.from ?? '';
  const zone = own ?? one.tz ?? /^TZ=(\S+)/.exec(given)?.[1] ?? 'UTC';
  const read = readCron(cron);
  if (!read.ok) {
    // "Never" is an answer, too.
    if (one.expected === null && read.fault.startsWith('never runs')) return 'agrees';
    return refusalOf(cron);
  }
  const from = instant(given, zone);
  const after = one.inclusive === true ? from.ceiling - 1 : from.floor;
  const ours = nextFire(cron, zone, after);
  const theirs = one.expected === null ? undefined : instant(one.expected, zone).floor;
  if (ours === theirs) return via === 'seconds' && one.spec.trim().startsWith('0') ? 'agrees' : via;
  if (ours === undefined || theirs === undefined) return 'unexplained';
  const { dayOfMonth, dayOfWeek, minute, hour } = read.value;
  if (!dayOfMonth.all && !dayOfWeek.all && ours < theirs) return 'days';
  // The clocks change just there, and the library lets what they passed over be.
  if (offsetAt(zone, ours) > offsetAt(zone, ours - 1) && ours < theirs) return 'skipped';
  const isSecond = instantOf(zone, wallAt(zone, theirs)) < theirs;
  if (isSecond && !minute.starred && !hour.starred && ours > theirs) return 'repeated';
  return 'unexplained';
}

function judge(one: Case): Verdict {
  const { cron } = translate(one.spec, one.seconds_field === true);
  switch (one.kind) {
    case 'invalid':
      return cronFault(one.spec) === undefined ? 'unexplained' : 'agrees';
    case 'valid':
    case 'never':
      if (cronFault(cron)?.startsWith('never runs') && one.kind === 'never') return 'agrees';
      return one.kind === 'valid' && cronFault(cron) === undefined ? 'agrees' : refusalOf(cron);
    case 'activation': {
      if (!readCron(cron).ok) return refusalOf(cron);
      const at = instant(one.at, 'UTC').floor;
      return (nextFire(cron, 'UTC', at - 1) === at) === one.fires ? 'agrees' : 'unexplained';
    }
    case 'next':
      return judgeNext(one);
  }
}

/** The cases of a library, each with how ours answers. */
export function judgeAll(name: keyof typeof files): (readonly [Case, Verdict])[] {
  const { cases } = JSON.parse(readFileSync(files[name], 'utf8')) as { cases: readonly Case[] };
  return cases.map((one) => [one, judge(one)] as const);
}
