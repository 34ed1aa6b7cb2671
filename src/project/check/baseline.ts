import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Finding } from '../../contract/findings.ts';
import { writtenMessage } from './say-as-source.ts';

const Entry = z.looseObject({
  fingerprint: z.string(),
  policy: z.string(),
  resource: z.string(),
  file: z.string(),
});
export type BaselineEntry = z.infer<typeof Entry>;

/** Findings that were there when the file was written; they are counted, and fail nothing. */
export const BaselineFile = z.looseObject({
  format_version: z.literal(1),
  findings: z.array(Entry),
});

/**
 * Names a finding by what is found in which resource of which file, not by where it stands: lines may come and go above
 * it, and the words of its source may change. A rule that newly matches makes another finding of it.
 */
export function fingerprintOf(finding: Finding, file: string): string {
  const { policy, policy_key, resource, resource_type, status, rules } = finding;
  const found = rules.map((rule) => {
    const [written] = writtenMessage(rule);
    return [rule.effect, (status === 'ERROR' ? asBefore(written) : written) ?? rule.index];
  });
  const what = [policy_key ?? policy, file, resource_type, resource, status, found];
  return createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 32);
}

/** What errors say, and what earlier builds said, whose baselines stay good. */
const saidBefore: readonly (readonly [now: RegExp, before: string])[] = [
  [/ is not known: /, ' is not known before the deployment: '],
  [
    /: if it can be missing, test (has\(.*\)) in the condition$/,
    ': use $1 in the condition where it may be missing',
  ],
  [/, which is known only after deployment$/, ', which only the deployment decides'],
  [/\(\) cannot parse this string/, "() can't read this text"],
  [/the bytes are not valid UTF-8/, 'the bytes are not UTF-8'],
  [
    /a % without a format specifier; use %% for a literal %/,
    'a % that is no formatting clause; write %% for the sign itself',
  ],
  [/^(format\(\): %.*) does not accept /, '$1 does not take '],
  [/the value is nested too deeply/, 'the value nests too deep'],
  [/ does not accept a negative number of bits/, ' takes no negative number of places'],
  [/value\(\) of an empty optional/, 'value() of an optional that has none'],
  [/the result overflows a 64-bit /, 'the result is beyond a 64-bit '],
  [/whether the image supports Shielded VM/, 'whether the image can be a shielded machine'],
  [/a value of a computed map/, 'a value of a map that is put together'],
  [/the duration exceeds 292 years/, 'the duration is beyond 292 years'],
  [/ is outside the string/, ' is outside the text'],
  [
    /the string is not (an IP address or range|a timestamp such|a duration such|a time zone such)/,
    'the text is not $1',
  ],
  [
    /the pattern is not a valid RE2 regular expression/,
    'the pattern is not a regular expression (RE2)',
  ],
  [/join\(\) requires strings, not /, "join() of a list with an item that can't be applied to "],
  [
    /duplicate or invalid map key of type /,
    "a map literal with this key or a duplicate key can't be applied to ",
  ],
];

const asBefore = (message: string | undefined): string | undefined =>
  message && saidBefore.reduce((said, [now, before]) => said.replace(now, before), message);

/** A baseline at work: knows which of its entries were met. */
export interface Baseline {
  /** True where the finding was there before. A finding that comes more often than it is listed is new. */
  accepts(fingerprint: string): boolean;
  /** Entries that were not met. */
  unmet(): readonly BaselineEntry[];
}

export function createBaseline(entries: readonly BaselineEntry[]): Baseline {
  const open = new Map<string, BaselineEntry[]>();
  for (const entry of entries) {
    const same = open.get(entry.fingerprint);
    if (same) same.push(entry);
    else open.set(entry.fingerprint, [entry]);
  }
  return {
    accepts: (fingerprint) => open.get(fingerprint)?.pop() !== undefined,
    unmet: () => [...open.values()].flat(),
  };
}

/** One finding a line, in a stable order, so that git shows what changed. */
export function formatBaseline(entries: readonly BaselineEntry[]): string {
  const keyOf = ({ file, resource, policy, fingerprint }: BaselineEntry): string =>
    [file, resource, policy, fingerprint].join('\0');
  const lines = entries
    .map((entry) => [keyOf(entry), JSON.stringify(entry)] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, text]) => `    ${text}`);
  const list = lines.length > 0 ? `[\n${lines.join(',\n')}\n  ]` : '[]';
  return `{\n  "format_version": 1,\n  "findings": ${list}\n}\n`;
}
