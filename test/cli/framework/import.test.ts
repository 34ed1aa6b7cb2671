import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMinimalService } from '../../support/minimal-service.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const nist = (...ids: string[]) => ({
  catalog: {
    metadata: { title: 'NIST SP 800-53 LOW', version: '5.1.1' },
    controls: ids.map((id) => ({ id, title: `Our title of ${id}` })),
  },
});
const files = {
  'low.json': JSON.stringify(nist('ac-2', 'ac-2.1')),
  'more.json': JSON.stringify(nist('ac-2', 'ac-99')),
  'none.json': JSON.stringify(nist('zz-1')),
  'profile.json': '{"profile": {}}',
  'soc2.csv': 'id,title\ncc6.1,Our words\n',
  'acme.csv': 'id,title,parent\nA,First,\nA.1,Second,A\n',
  'circle.csv': 'id,title,parent\nA,First,B\nB,Second,A\n',
};

function inFolder() {
  const cwd = makeRepo(files);
  const runWith = (argv: readonly string[], settings: FakeWorldSettings): Promise<Outcome> =>
    runCommandLine(['framework', ...argv], {
      cwd,
      env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key },
      fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
      ...settings,
    });
  const run = (...argv: string[]): Promise<Outcome> => runWith(argv, {});
  return { cwd, run, runWith };
}

describe('framework import', () => {
  it('imports the texts of an OSCAL catalog for the built-in framework; delete removes them', async () => {
    const { run } = inFolder();
    const ours = await run('show', 'nist-800-53', 'AC-2');
    const imported = await run('import', 'low.json');
    expect(imported, imported.stderr).toMatchObject({ exitCode: 0 });
    expect(imported.stdout).toBe(
      'Imported titles for 2 controls of NIST-800-53: NIST SP 800-53 LOW\nTo show the framework, run `govctl framework show nist-800-53 --all`.\n',
    );
    expect((await run('show', 'nist-800-53', 'AC-2')).stdout).toContain('Our title of ac-2');
    expect((await run('show', 'nist-800-53', 'ac-2(1)')).stdout).toContain('Our title of ac-2.1');
    expect(await run('delete', 'NIST-800-53', '-y')).toMatchObject({ exitCode: 0 });
    expect((await run('show', 'nist-800-53', 'AC-2')).stdout).toBe(ours.stdout);
  });

  it('skips controls that the built-in framework does not have, and says so', async () => {
    const { run } = inFolder();
    const imported = await run('import', 'more.json', '-o', 'json');
    expect(JSON.parse(imported.stdout)).toMatchObject({
      id: 'nist-800-53',
      built_in: true,
      controls: 1,
      left_out: ['ac-99'],
    });
    expect((await run('import', 'more.json')).stdout).toContain(
      'Skipped 1 control not defined in NIST-800-53 (rev5, moderate baseline).',
    );
  });

  it('defines a framework from CSV, replaces it, and keeps the tags that it has', async () => {
    const { cwd, run } = inFolder();
    expect((await run('import', 'acme.csv', '--id', 'acme')).stdout).toContain(
      'Imported acme with 2 controls\n',
    );
    const path_ = '/v1/compliance/frameworks/acme';
    const tags = ['govctl.owner:other', 'govctl.key:acme@000000000000'];
    const body = { name: 'Our rules', tags, controls: [{ id: 'A', title: 'First' }] };
    await service.send('PUT', path_, { body });
    writeFileSync(path.join(cwd, 'acme.csv'), 'id,title\nB,Third\n');
    const again = await run('import', 'acme.csv', '--id', 'ACME');
    expect(again.stdout).toContain('Imported acme with 1 control: Our rules');
    expect(again.stderr).toContain('"acme" is managed in git by project "other"');
    expect(
      (await service.send('GET', '/v1/compliance/framework-definitions/acme')).json,
    ).toMatchObject({ tags, controls: [{ id: 'B', title: 'Third' }] });
    const deleted = await run('delete', 'acme', '-y');
    expect(deleted.stderr).toContain('is managed in git by project "other"');
  });

  it('writes a document for git that says the same', async () => {
    const { cwd, run } = inFolder();
    expect(await run('import', 'acme.csv', '--id', 'acme', '--out', 'acme.yaml')).toMatchObject({
      exitCode: 0,
      stdout:
        'Wrote acme with 2 controls to acme.yaml\nTo preview the changes, run `govctl plan`.\n',
    });
    expect(readFileSync(path.join(cwd, 'acme.yaml'), 'utf8')).toBe(
      'kind: Framework\nid: acme\nname: acme\ncontrols:\n  - id: A\n    title: First\n  - id: A.1\n    title: Second\n    parent: A\n',
    );
    expect((await run('list')).stdout).not.toContain('acme');
  });

  it.each([
    ['a profile', ['profile.json', '--id', 'x'], 'the OSCAL model is profile, not catalog'],
    ['a circle of parents', ['circle.csv', '--id', 'x'], 'A → B → A'],
    ['no ID', ['acme.csv'], 'No framework ID given'],
    ['an ID that is none', ['acme.csv', '--id', 'a b'], '--id must contain only lowercase letters'],
    [
      'controls of another framework',
      ['none.json'],
      'none of the control IDs in the file exist in NIST',
    ],
    ['a table as OSCAL', ['acme.csv', '--id', 'x', '--format', 'oscal'], 'acme.csv:1:1 cannot'],
    ['OSCAL as a table', ['low.json', '--id', 'x', '--format', 'csv'], 'low.json:1 cannot'],
    ['a file that is not there', ['gone.json'], 'could not be read'],
    ['an unknown format', ['acme.csv', '--format', 'xml'], '--format'],
  ])('refuses %s, and changes nothing', async (_, argv, message) => {
    const { run } = inFolder();
    const refused = await run('import', ...argv);
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toContain(message);
    expect((await service.send('GET', '/v1/compliance/framework-definitions')).json).toMatchObject({
      frameworks: [],
    });
  });

  it('names the lines of a CSV file, and standard input, in errors', async () => {
    const { runWith } = inFolder();
    const errorOf = async (csv: string) => {
      const refused = await runWith(['import', '-', '--id', 'acme'], { stdin: csv });
      expect(refused.exitCode).toBe(3);
      return refused.stderr;
    };
    expect(await errorOf('id,title\n"A",First\na,Second\n')).toContain(
      'error: standard input cannot be imported\n  standard input:3: id must be unique, but line 2 also has the ID "a"\n',
    );
    expect(await errorOf('id,title,parent\nA,"First\nline",\nB,Second,other\n')).toContain(
      '  standard input:4: parent must be the ID of another control, but is "other"\n',
    );
    expect(await errorOf(`id,title\nA,First\nB,${'x'.repeat(600)}\n`)).toMatch(
      /^error: standard input:3 cannot be imported: title /m,
    );
    expect(await errorOf('id,title\nA\n')).toMatch(/^error: standard input:2 cannot be imported/m);
  });

  it('reads standard input', async () => {
    const { runWith } = inFolder();
    const imported = await runWith(['import', '-', '--id', 'acme'], { stdin: files['acme.csv'] });
    expect(imported.stdout).toContain('Imported acme with 2 controls\n');
    const catalog = await runWith(['import', '-'], { stdin: files['low.json'] });
    expect(catalog.stdout).toContain('Imported titles for 2 controls of NIST-800-53');
  });

  it('needs a govctl server', async () => {
    const { cwd } = inFolder();
    const refused = await runCommandLine(['framework', 'import', 'low.json'], {
      cwd,
      env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: 'x' },
      fetch: createMinimalService().fetch,
    });
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('does not support custom frameworks');
  });
});

describe('framework delete', () => {
  it.each([
    ['a built-in framework without texts', 'soc2', 5, 'SOC2 is built in and has no imported texts'],
    ['an unknown framework', 'soc3', 1, 'There is no framework "soc3"'],
  ])('refuses %s', async (_, id, exitCode, message) => {
    const refused = await inFolder().run('delete', id, '-y');
    expect(refused).toMatchObject({ exitCode });
    expect(refused.stderr).toContain(message);
  });

  it('asks first', async () => {
    expect(await inFolder().run('delete', 'soc2')).toMatchObject({ exitCode: 3 });
  });
});
