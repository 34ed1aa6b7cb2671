import { isUnknown, text, unlike } from '../../values.ts';
import type { Maybe } from '../../values.ts';

/** Runtimes of Lambda, with those that are deprecated: AWS Lambda Developer Guide, Lambda runtimes, 2026-11. */
const runtimes = new Set([
  ...['nodejs', 'nodejs4.3', 'nodejs4.3-edge', 'nodejs6.10', 'nodejs8.10', 'nodejs10.x'],
  ...['nodejs12.x', 'nodejs14.x', 'nodejs16.x', 'nodejs18.x', 'nodejs20.x', 'nodejs22.x'],
  ...['nodejs24.x', 'python2.7', 'python3.6', 'python3.7', 'python3.8', 'python3.9', 'python3.10'],
  ...['python3.11', 'python3.12', 'python3.13', 'python3.14', 'ruby2.5', 'ruby2.7', 'ruby3.2'],
  ...['ruby3.3', 'ruby3.4', 'java8', 'java8.al2', 'java11', 'java17', 'java21', 'java25', 'go1.x'],
  ...['dotnetcore1.0', 'dotnetcore2.0', 'dotnetcore2.1', 'dotnetcore3.1', 'dotnet5.0', 'dotnet6'],
  ...['dotnet7', 'dotnet8', 'dotnet10', 'provided', 'provided.al2', 'provided.al2023'],
]);

/** The newest of each language: what comes after it is not deprecated yet. */
const newest: Readonly<Record<string, readonly [major: number, minor?: number]>> = {
  nodejs: [24],
  python: [3, 14],
  ruby: [3, 4],
  java: [25],
  dotnet: [10],
  'provided.al': [2023],
};

/** A runtime that is known, or newer than those; of any other word, nothing is known. */
export function runtimeOf(value: unknown): Maybe<string> {
  const written = text(value);
  if (written === undefined || written === '' || isUnknown(written)) return written || undefined;
  const word = written.toLowerCase();
  return runtimes.has(word) || isNewer(word) ? word : unlike(written, 'a known runtime');
}

function isNewer(word: string): boolean {
  const [, language = '', major, minor] =
    /^([a-z.]+?)(\d{1,4})(?:\.(\d{1,2}|x))?$/.exec(word) ?? [];
  const [knownMajor, knownMinor] = Object.hasOwn(newest, language) ? (newest[language] ?? []) : [];
  if (knownMajor === undefined || Number(major) < knownMajor) return false;
  return Number(major) > knownMajor || (knownMinor !== undefined && Number(minor) > knownMinor);
}
