import { describe, expect, it } from 'vitest';
import { guides, proseOf } from '../support/markdown.ts';
import { listStrings } from './strings.js';

/** What the program and its docs do not say, and what to write instead. */
const rules: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bcan not\b/i, 'cannot'],
  [/(?<!::)\bfolders?\b/i, 'directory'],
  [/\bwaive[rd]?\b/i, 'exemption, exempt'],
  [/\bundecided\b/i, 'error'],
  [/\bwhoever\b/i, 'anyone who'],
  [/\bnobody (can|could) be asked\b/i, 'prompts are disabled'],
  [/(?<![_`"])\b(every|some|any)body\b(?![`"])/i, 'any principal, anyone, the public'],
  [/\bdeclared elsewhere\b/i, 'not in the same input'],
  [/\bnot tell\b/i, 'not show'],
  [/\bgo(es)? before\b/i, 'overrides'],
  [/\b(is|are) to be\b/i, 'must be, or the imperative'],
  [/\blet go of\b/i, 'release'],
  [/\bcomes? to\b/i, 'results in, totals'],
  [/\b(so|that) (many|long)\b(?! (as|that)\b)/i, 'a number, a duration, maximum …'],
  [/\ba text\b/i, 'a string'],
  [/\bup to then\b/i, 'end of the period'],
  [/\bby now\b/i, 'already'],
  [/\bholds? .* against\b/i, 'evaluates'],
  [/\btold by\b/i, 'detected from'],
  [/\bwithout a word\b/i, 'silently'],
  [/\bof its own\b/i, 'own, separate'],
  [/^Give\b|\. Give\b|: give\b/, 'Use, Pass, Set, Run'],
  [/\bexclude each other\b/i, 'Use either … or …'],
  [/(?<![-\w{/"'.=<`:])(ids?|urls?)(?![-\w}/"'=`:]|\.\w)/, 'ID, URL'],
];

/** Files and directories that do not follow every rule yet. */
const unread: readonly string[] = [
  // Names the status UNDECIDED of the reports.
  'src/report/content/framework-sections.ts',
  // Folders are resources of Google Cloud.
  'policies-example/gcp/identity/gcp-iam-no-basic-roles.yaml',
  'policies-example/gcp/logging/gcp-audit-config-no-exempted-members.yaml',
];

const texts = [...listStrings(), ...guides.flatMap((file) => proseOf(file))].filter(
  ({ file }) => !unread.some((part) => file.startsWith(part)),
);

describe('plain words', () => {
  it('finds the texts of the program', () => {
    expect(listStrings().length).toBeGreaterThan(5_000);
  });

  it('finds the prose of Markdown, paragraph by paragraph, without code', () => {
    const text = '# A title\n\nOne\n`two` [three](four.md)\n- five\n\n```sh\nsix\n```\n| seven | `eight` |\n'; // prettier-ignore
    expect(proseOf('a.md', text)).toEqual([
      { file: 'a.md', line: 1, text: '# A title' },
      { file: 'a.md', line: 3, text: 'One `code` [three]' },
      { file: 'a.md', line: 5, text: '- five' },
      { file: 'a.md', line: 10, text: '| seven | `code` |' },
    ]);
  });

  it.each(rules)('no text of the program and its docs has %s; write: %s', (pattern) => {
    expect(texts.filter(({ text }) => pattern.test(text))).toEqual([]);
  });
});
