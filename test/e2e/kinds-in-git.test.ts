import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BuiltServer } from '../support/built-cli.ts';
import { makeTempFolder, runCli, startBuiltServer } from '../support/built-cli.ts';

/** A policy, an exemption from it and a framework, with the built binary against its own server. */
describe('exemptions and frameworks in git, with the built binary', () => {
  let server: BuiltServer;
  const folder = makeTempFolder();
  const repo = path.join(folder, 'repo');
  const govctl = (...args: string[]) =>
    runCli(args, {
      cwd: repo,
      env: {
        GOVCTL_BASE_URL: server.baseUrl,
        GOVCTL_TOKEN: server.key,
        GOVCTL_CONFIG_DIR: path.join(folder, 'config'),
      },
    });
  /** What differs from run to run, taken out. */
  const shown = ({ stdout }: { readonly stdout: string }): string =>
    stdout
      .replaceAll(server.baseUrl, 'SERVER')
      .replace(/(exm|pol)_[0-9a-z]{26}/g, '$1_ID')
      .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z| UTC)/g, 'TIME')
      .replace(/in [\d.,]+ m?s\./, 'in TIME.');
  const write = (file: string, text: string): void =>
    writeFileSync(path.join(repo, 'policies', file), text);

  beforeAll(async () => {
    server = await startBuiltServer();
    const made = await runCli(['init', 'repo', '--project', 'acme'], { cwd: folder });
    expect(made.exitCode, made.stderr).toBe(0);
    write(
      'legacy.yaml',
      'kind: Exemption\nkey: legacy\npolicy: s3-versioning\nresources: ["arn:aws:s3:::legacy-*"]\nreason: Moves in March.\nowner: team-storage\nexpires: 2099-03-31\n',
    );
    write(
      'finops.yaml',
      'kind: Framework\nid: finops\nname: Cloud spending\ncontrols:\n  - id: C1\n    title: Every cost has an owner\n  - id: C1.1\n    title: Every resource has a tag\n    parent: C1\n',
    );
  });
  afterAll(async () => {
    expect(await server.stop()).toBe(0);
  });

  it('are planned with the policies', async () => {
    expect(shown(await govctl('plan', '--brief'))).toMatchInlineSnapshot(`
      "Project acme at SERVER

        + create s3-versioning  policies/storage/s3-versioning.yaml:2
            HIGH · AWS::S3::Bucket · 1 rule · SOC2:A1.2, ISO27001:A.8.13

        + create exemption legacy  policies/legacy.yaml:1
            s3-versioning: arn:aws:s3:::legacy-* · until 2099-03-31
            owner team-storage

        + create framework finops  policies/finops.yaml:1
            2 controls

      Plan: 3 to create, 0 to update, 0 to delete; 0 unchanged.
      "
    `);
  });

  it('are applied in the order that they need', async () => {
    const applied = await govctl('apply', '--brief', '-y');
    expect(applied, applied.stderr).toMatchObject({ exitCode: 0 });
    expect(shown(applied).split('\n\n').slice(-2).join('\n\n')).toMatchInlineSnapshot(`
      "  ✓ created s3-versioning  pol_ID
        ✓ created exemption legacy  exm_ID
        ✓ created framework finops  finops

      Apply: 3 applied in TIME.
      "
    `);
    expect(shown(await govctl('drift'))).toMatchInlineSnapshot(`
      "No drift: 3 documents of project acme unchanged since the last apply.
      "
    `);
  });

  it('that were edited by hand are drift, and the next apply undoes it', async () => {
    const { exemptions } = JSON.parse((await govctl('exemption', 'list', '-o', 'json')).stdout) as {
      exemptions: { id: string }[];
    };
    await govctl('exemption', 'update', exemptions[0]?.id ?? '', '--expires', '2099-12-31');
    writeFileSync(path.join(folder, 'own.csv'), 'id,title\nC1,By hand\n');
    await govctl('framework', 'import', '../own.csv', '--id', 'finops');
    const drift = await govctl('drift');
    expect(drift.exitCode).toBe(2);
    expect(shown(drift)).toMatchInlineSnapshot(`
      "  ! exemption legacy  exm_ID  policies/legacy.yaml:1
            edited outside git since the last apply, last at TIME by
              bootstrap
            ~ expires: 2099-03-31 → 2099-12-31

        ! framework finops  finops  policies/finops.yaml:1
            edited outside git since the last apply, last at TIME by
              bootstrap
            ~ controls.C1.title: Every cost has an owner → By hand
            - controls.C1.1:
              - id C1.1
              - title Every resource has a tag
              - parent C1

      Drift: 2 of 3 documents of project acme were edited outside git.

      To restore the version in git, run \`govctl apply\`.
      To keep an edit, add it to the file first.
      "
    `);
    expect(await govctl('apply', '-y')).toMatchObject({ exitCode: 0 });
    expect(await govctl('drift')).toMatchObject({ exitCode: 0 });
  });

  it('without a file are kept, and deleted with --prune', async () => {
    rmSync(path.join(repo, 'policies/legacy.yaml'));
    rmSync(path.join(repo, 'policies/finops.yaml'));
    expect(shown(await govctl('plan'))).toMatchInlineSnapshot(`
      "Project acme at SERVER

      2 documents of this project have no file. Use --prune to delete them:
        ? exemption legacy  exm_ID
        ? framework finops  finops

      No changes: 1 document matches its file; 2 without a file.
      "
    `);
    expect(shown(await govctl('apply', '--prune', '-y'))).toMatchInlineSnapshot(`
      "Project acme at SERVER

        - delete exemption legacy  exm_ID
            policy and resources: s3-versioning: arn:aws:s3:::legacy-*
            no longer in any file

        - delete framework finops  finops
            no longer in any file

      Plan: 0 to create, 0 to update, 2 to delete; 1 unchanged.

        ✓ deleted exemption legacy  exm_ID
        ✓ deleted framework finops  finops

      Apply: 2 applied in TIME.
      "
    `);
  });
});
