// A cloned repo whose conditions work for hours within their budgets: nothing else has a turn meanwhile, signals neither.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Holding } from '../../src/project/model.ts';
import { runCommandLine } from '../support/fake-world.ts';
import { makeRepo } from '../support/temp-repo.ts';
import { until } from '../support/until.ts';

const built = fileURLToPath(new URL('../../bin/govctl.js', import.meta.url));

/**
 * Makes the program say on stderr, at once, how many listeners there are to SIGTERM. stderr is a file: a pipe whose
 * reader gets no turn is full after some hundred words, and refuses the next.
 */
const announcing = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs';
  for (const event of ['newListener', 'removeListener'])
    process.on(event, (name) => name === 'SIGTERM' && writeSync(2, event === 'newListener' ? 'free ' : 'held '));
`)}`;

const costly = 'resource.l.all(a, resource.l.all(b, resource.l.all(c, a + b + c >= 0)))';
const list = JSON.stringify(Array.from({ length: 70 }, (_, n) => n));
const rows = (count: number): string[] =>
  Array.from(
    { length: count },
    (_, n) => `{"id": "b${n}", "type": "AWS::S3::Bucket", "l": ${list}}`,
  );

/** 400 policies: some 6 s of work for each resource. */
const policies = Array.from(
  { length: 400 },
  (_, n) =>
    `name: p${n}\nresource_type: AWS::S3::Bucket\nrules:\n  - condition: ${costly}\n    effect: DENY\n`,
).join('---\n');

const files = {
  'govctl.yaml': 'project: acme\npaths: [policies]\n',
  'policies/all.yaml': policies,
  'policies/all.test.yaml': `kind: PolicyTest\npolicy: all.yaml\ncases:\n  - name: c\n    input: {resources: [${rows(500).join(', ')}]}\n    expect: [{resource: b0, result: fail}]\n`,
  'in.json': `[${rows(500).join(',')}]`,
  'in.ndjson': `${rows(500).join('\n')}\n`,
  'large.ndjson': `${rows(80_000).join('\n')}\n`,
};

it.each([
  ['SIGINT', 'check in.json'],
  ['SIGTERM', 'check in.json'],
  ['SIGTERM', 'check in.ndjson'],
  ['SIGTERM', 'check large.ndjson'],
  ['SIGINT', 'test policies'],
] as const)('%s ends `%s`', async (signal, words) => {
  const cwd = makeRepo(files);
  const announced = join(cwd, 'announced.txt');
  const stderr = openSync(announced, 'a');
  const child = spawn(process.execPath, ['--import', announcing, built, ...words.split(' ')], {
    cwd,
    stdio: ['ignore', 'ignore', stderr],
  });
  closeSync(stderr);
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<unknown>((resolve) =>
    child.once('exit', (code, by) => resolve(code ?? by)),
  );
  // It is at work for long once it says nothing more.
  let said = '';
  await until(async () => {
    const before = said;
    await sleep(1_500);
    said = readFileSync(announced, 'utf8');
    return said !== '' && said === before;
  });
  expect([child.exitCode, said]).toEqual([null, expect.stringMatching(/^free /)]);
  child.kill(signal);
  // Worker threads leave the loop free, and what hears the signal answers 130.
  expect(await ended).toBe(words.includes('large') ? 130 : signal);
});

describe('work that can be long is done where a signal ends it', () => {
  const template = `Resources:\n  A: {Type: 'AWS::S3::Bucket'}\n`;
  const patched = `name: p\nresource_type: AWS::S3::Bucket\nrules:\n  - condition: '!resource.versioning.enabled'\n    effect: DENY\nremediation_action: 'patch:{"versioning":{"enabled":true}}'\n`;
  const heldBy = async (words: string): Promise<{ held: number; stdout: string }> => {
    let held = 0;
    const holding: Holding = (work) => {
      held++;
      return work();
    };
    const { stdout } = await runCommandLine(words.split(' '), {
      cwd: makeRepo({
        'govctl.yaml': 'project: acme\npaths: [policies]\n',
        'policies/p.yaml': patched,
        't.yaml': template,
      }),
      env: { NO_COLOR: '1' },
      holding,
    });
    return { held, stdout };
  };

  it('the reading of policies', async () => {
    expect((await heldBy('validate')).held).toBe(2); // the file, and its document
  });

  it('the fixes of a check', async () => {
    const plain = await heldBy('check t.yaml');
    const fixing = await heldBy('check t.yaml --fix');
    expect(fixing.stdout).toContain('+');
    // The template before and after, its resource both times, and the change between.
    expect(fixing.held - plain.held).toBeGreaterThanOrEqual(5);
  });
});
