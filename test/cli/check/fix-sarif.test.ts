import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';

const policy = (name: string, condition: string, patch?: string): string => `name: ${name}
resource_type: AWS::S3::Bucket
severity: HIGH
rules:
  - {condition: '${condition}', effect: DENY}
${patch === undefined ? '' : `remediation_action: 'patch:${patch}'\n`}---
`;

const policies =
  policy('versioned', '!resource.versioning.enabled', '{"versioning":{"enabled":true}}') +
  policy('logged', '!resource.logging.enabled', '{"logging":{"target_bucket":"logs"}}') +
  policy('named', '!has(resource.name)');

const template = `Resources:
  Bucket:
    Type: AWS::S3::Bucket
    Properties:
      BucketName: shop   # its name

  Bare: {Type: AWS::S3::Bucket}`;

interface Region {
  readonly startLine: number;
  readonly startColumn: number;
  readonly endLine: number;
  readonly endColumn?: number;
}

interface SarifFix {
  readonly description: { readonly text: string };
  readonly artifactChanges: readonly {
    readonly artifactLocation: { readonly uri: string };
    readonly replacements: readonly {
      readonly deletedRegion: Region;
      readonly insertedContent: { readonly text: string };
    }[];
  }[];
}

interface Result {
  readonly ruleId: string;
  readonly message: { readonly text: string };
  readonly fixes?: readonly SarifFix[];
}

const check = async (cwd: string, words: string): Promise<Result[]> => {
  const { stdout } = await runCommandLine(['check', ...words.split(' '), '-o', 'sarif'], { cwd });
  return (JSON.parse(stdout) as { runs: { results: Result[] }[] }).runs[0]?.results ?? [];
};

/** As SARIF says it: lines and columns from 1, up to the end; without a column, to the end of the line. */
function offsetOf(text: string, line: number, column: number | undefined): number {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const start = lines.slice(0, line - 1).join('').length;
  return column === undefined
    ? start + (lines[line - 1]?.replace(/\n$/, '').length ?? 0)
    : start + column - 1;
}

function applyFix(cwd: string, { artifactChanges }: SarifFix): void {
  for (const { artifactLocation, replacements } of artifactChanges) {
    const file = path.join(cwd, decodeURIComponent(artifactLocation.uri));
    let text = readFileSync(file, 'utf8');
    // From the end, so that places stay.
    for (const { deletedRegion: at, insertedContent } of replacements.toReversed()) {
      const start = offsetOf(text, at.startLine, at.startColumn);
      const end = offsetOf(text, at.endLine, at.endColumn);
      text = text.slice(0, start) + insertedContent.text + text.slice(end);
    }
    writeFileSync(file, text);
  }
}

const repoOf = (text: string): string =>
  makeRepo({
    'govctl.yaml': 'project: p\npaths: [policies]\n',
    'policies/a.yaml': policies,
    'my dir/t.yaml': text,
  });

const nameOf = ({ ruleId, message }: Result): string => `${ruleId} ${message.text.split(':')[0]}`;

it.each([
  ['without a line break at the end', template],
  ['with one', `${template}\n`],
  ['with line breaks of Windows', template.replaceAll('\n', '\r\n')],
])('has in SARIF a fix for each finding that can be fixed, each by itself, %s', async (_, text) => {
  const before = await check(repoOf(text), '. --fix');
  const fixable = before.filter(({ fixes }) => fixes);
  expect(fixable.map(nameOf).sort()).toEqual([
    'logged Bare',
    'logged Bucket',
    'versioned Bare',
    'versioned Bucket',
  ]);
  expect(before.map(nameOf)).toContain('named Bare');
  for (const result of fixable) {
    const [fix] = result.fixes ?? [];
    const cwd = repoOf(text);
    if (fix) applyFix(cwd, fix);
    expect(fix?.description.text).toMatch(/^Change (?:Bucket|Bare) so that it passes /);
    const after = (await check(cwd, '.')).map(nameOf);
    expect(after.sort()).toEqual(
      before
        .map(nameOf)
        .filter((name) => name !== nameOf(result))
        .sort(),
    );
  }
});

it('has no fixes in SARIF where they were not asked for, or are written', async () => {
  const cwd = repoOf(template);
  expect((await check(cwd, '.')).filter(({ fixes }) => fixes)).toEqual([]);
  const written = await check(cwd, '. --fix --write');
  expect(written.map(nameOf)).toEqual(['named Bare']);
  expect(written.filter(({ fixes }) => fixes)).toEqual([]);
});
