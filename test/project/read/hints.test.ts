import { describe, expect, it } from 'vitest';
import { loadProject } from '../../../src/project/read/load.ts';
import { makeRepo } from '../../support/temp-repo.ts';

async function firstProblem(condition: string) {
  const cwd = makeRepo({
    'a.yaml': `name: p
resource_type: AWS::S3::Bucket
rules:
  - condition: ${condition}
    effect: DENY
`,
  });
  const { problems } = await loadProject({ cwd, paths: ['a.yaml'] });
  const [{ level, code, hint, excerpt, column = 1 } = {}] = problems;
  return {
    level,
    code,
    hint,
    marked: excerpt?.text.slice(column - 1, column - 1 + excerpt.width),
  };
}

describe('a condition in the words of another language', () => {
  it.each([
    ['resource.a == 1 and resource.b == 2', 'and', '&&'],
    ['resource.a == 1 or resource.b == 2', 'or', '||'],
    ['not has(resource.a)', 'not', '!'],
    ['(not resource.a)', 'not', '!'],
    ['resource.a = 1', '=', '=='],
    ['resource.a.exist(x, x == 1)', 'exist', 'exists'],
    ['resource.a.any(x, x == 1)', 'any', 'exists'],
    ['resource.a.every(x, x == 1)', 'every', 'all'],
    ['resource.a.length() > 1', 'length', 'size'],
  ])('%s: %s is %s', async (condition, marked, meant) => {
    expect(await firstProblem(condition)).toEqual({
      level: 'error',
      code: 'condition',
      hint: `Did you mean ${meant}?`,
      marked,
    });
  });
});

describe('a condition that YAML takes for a tag', () => {
  it.each([
    ['!has(resource.a)', "'!has(resource.a)'"],
    ["!has(resource.a) && resource.b == 'x'", "'!has(resource.a) && resource.b == ''x'''"],
    ['!resource.encryption.enabled', "'!resource.encryption.enabled'"],
  ])('%s must be quoted', async (condition, quoted) => {
    expect(await firstProblem(condition)).toEqual({
      level: 'error',
      code: 'tag',
      hint: `Use condition: ${quoted}`,
      marked: condition,
    });
  });
});
