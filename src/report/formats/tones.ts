import type { Tone } from '../model.ts';

/** What a tone is called, so that no colour has to say it alone. */
export const toneWords: Readonly<Record<Tone, string>> = {
  good: 'Good',
  bad: 'Problem',
  warn: 'Attention',
  neutral: 'Note',
};

/** A status is good, bad, or in between; what isn't known has no tone. By words in lower case. */
export const statusTones: Readonly<Record<string, Tone>> = {
  met: 'good',
  pass: 'good',
  passed: 'good',
  compliant: 'good',
  resolved: 'good',
  completed: 'good',
  active: 'good',
  fixed: 'good',
  better: 'good',
  open: 'bad',
  fail: 'bad',
  failed: 'bad',
  'not met': 'bad',
  not_met: 'bad',
  non_compliant: 'bad',
  'non compliant': 'bad',
  'non-compliant': 'bad',
  violation: 'bad',
  expired: 'bad',
  worse: 'bad',
  acknowledged: 'warn',
  partial: 'warn',
  'partly met': 'warn',
  pending: 'warn',
  error: 'warn',
  exempt: 'neutral',
  exempted: 'neutral',
  suppressed: 'neutral',
};

/** Of the words of `status` cells, in any case. */
export function toneOfStatus(word: string): Tone | undefined {
  const key = word.toLowerCase();
  return Object.hasOwn(statusTones, key) ? statusTones[key] : undefined;
}
