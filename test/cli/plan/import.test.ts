import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepo, policyYaml } from './repo.ts';

describe('govctl import into a repo that owns policies', () => {
  async function setUp() {
    const repo = createRepo();
    repo.write(
      'policies/storage.yaml',
      `# Storage\n${policyYaml('first')}---\n# The second one\n${policyYaml('second')}`,
    );
    expect(await repo.govctl(['apply', '-y'])).toMatchObject({ exitCode: 0 });
    const read = (file: string) => readFileSync(path.join(repo.folder, file), 'utf8');
    const edit = (name: string, fields: object) => {
      const found = [...repo.service.policies.values()].find((one) => one.name === name);
      repo.service.policies.set(found!.id, { ...found!, ...fields });
    };
    return { repo, read, edit };
  }

  it('writes only what has no file yet, and the repo stays valid', async () => {
    const { repo } = await setUp();
    repo.service.put({
      name: 'theirs',
      resource_type: 'A::B',
      rules: [{ condition: 'resource.x == 1', effect: 'DENY' }],
    });
    const { exitCode, stdout } = await repo.govctl(['import']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('1 file written to policies.');
    expect(stdout).toContain('2 objects already have a file.');
    expect(readdirSync(path.join(repo.folder, 'policies')).sort()).toEqual(['storage.yaml', 'theirs.yaml']); // prettier-ignore
    expect((await repo.govctl(['validate'])).stderr).not.toContain('duplicate');
    const adopted = await repo.govctl(['adopt', '--all-matching', '--auto-approve']);
    expect(adopted, adopted.stderr).toMatchObject({ exitCode: 0 });
    expect(await repo.govctl(['plan', '--detailed-exitcode'])).toMatchObject({ exitCode: 0 });
  });

  it('names how many files differ from the service, and leaves them', async () => {
    const { repo, read, edit } = await setUp();
    const before = read('policies/storage.yaml');
    edit('second', { severity: 'CRITICAL' });
    const { stdout } = await repo.govctl(['import']);
    expect(stdout).toContain('2 objects already have a file; 1 file differs from the service (use --update to update it).'); // prettier-ignore
    expect(read('policies/storage.yaml')).toBe(before);
  });

  it('updates documents in place with --update: comments and other documents stay', async () => {
    const { repo, read, edit } = await setUp();
    edit('second', { severity: 'CRITICAL', enabled: false, description: 'New: text' });
    const { exitCode, stdout } = await repo.govctl(['import', '--update']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('~ policies/storage.yaml');
    expect(stdout).toContain('No files written to policies, 1 document updated.');
    const text = read('policies/storage.yaml');
    expect(text).toContain('# Storage\n');
    expect(text).toContain('# The second one\n');
    expect(text.match(/severity: CRITICAL/g)).toHaveLength(1);
    expect(await repo.govctl(['validate'])).toMatchObject({ exitCode: 0 });
    const plan = await repo.govctl(['plan', '-o', 'json']);
    // The service and git agree; only the record of the last apply is older.
    expect(JSON.parse(plan.stdout)).toMatchObject({ changes: [{ name: 'second', fields: [] }] });
    edit('second', { severity: 'LOW', enabled: true, description: undefined });
    await repo.govctl(['import', '--update']);
    expect(read('policies/storage.yaml')).not.toMatch(/^enabled|description: New/m);
    expect(await repo.govctl(['drift'])).toMatchObject({ exitCode: expect.any(Number) });
  });

  it('keeps the line ends of a file that it updates', async () => {
    const { repo, read, edit } = await setUp();
    repo.write('policies/storage.yaml', read('policies/storage.yaml').replaceAll('\n', '\r\n'));
    edit('second', { severity: 'CRITICAL' });
    expect(await repo.govctl(['import', '--update'])).toMatchObject({ exitCode: 0 });
    const text = read('policies/storage.yaml');
    expect(text).toContain('severity: CRITICAL\r\n');
    expect(text).not.toMatch(/[^\r]\n/);
  });

  it('says in JSON what became of each object', async () => {
    const { repo, edit } = await setUp();
    edit('first', { severity: 'LOW' });
    const { stdout } = await repo.govctl(['import', '--update', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      summary: { written: 0, updated: 1, present: 2, skipped: 0 },
      files: [{ file: 'policies/storage.yaml', name: 'first', outcome: 'updated' }],
    });
  });

  it('creates no directory where there is nothing to write', async () => {
    const repo = createRepo();
    const { stdout } = await repo.govctl(['import', '--out', 'empty/deep']);
    expect(stdout).toContain('No files written to empty/deep.');
    expect(readdirSync(repo.folder)).not.toContain('empty');
  });

  it('copies every object to a directory that the repo does not read', async () => {
    const { repo } = await setUp();
    const { stdout } = await repo.govctl(['import', '--out', 'copy']);
    expect(stdout).toContain('2 files written to copy.');
    expect(stdout).toContain('copy is not in the paths of govctl.yaml, so it gets a copy of every object.'); // prettier-ignore
    const here = await repo.govctl(['import', '--out', '.']);
    expect(here.stdout).toContain('2 files written to this directory.');
  });
});
