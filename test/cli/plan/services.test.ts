import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpFetch } from '../../../src/cli/credentials/http-fetch.ts';
import { startServer } from '../../../src/server/start.ts';
import { createMinimalService } from '../../support/minimal-service.ts';
import type { TestRepo } from './repo.ts';
import { createRepo, policyYaml } from './repo.ts';

interface Service {
  readonly baseUrl: string;
  readonly token: string;
  stop(): Promise<void>;
}

const services: Readonly<Record<string, () => Promise<Service>>> = {
  'one of the service description alone': async () => {
    const { baseUrl, close } = await createMinimalService().listen();
    return { baseUrl, token: 'any', stop: close };
  },
  'our own': async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'govctl-services-'));
    const token = 'gk_test_services_0123456789';
    const server = await startServer({
      host: '127.0.0.1',
      port: 0,
      dataDir: folder,
      store: 'lowdb',
      apiKey: token,
      allowTargets: [],
      rateLimit: 'off',
      metrics: false,
      logLevel: 'silent',
    });
    return {
      baseUrl: server.baseUrl,
      token,
      stop: async () => {
        await server.stop();
        rmSync(folder, { recursive: true });
      },
    };
  },
};

describe.each(Object.entries(services))('over HTTP, with %s', (_, start) => {
  let service: Service;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service.stop());

  const fetch = createHttpFetch({});
  const run = (repo: TestRepo, ...argv: string[]) =>
    repo.govctl(argv, {
      fetch,
      env: { GOVCTL_BASE_URL: service.baseUrl, GOVCTL_TOKEN: service.token },
    });
  const summaryOf = ({ stdout }: { stdout: string }): Record<string, number> =>
    (JSON.parse(stdout) as { summary: Record<string, number> }).summary;

  it('plans, applies, finds drift, puts it back, renames, prunes, imports', async () => {
    const repo = createRepo('project: main-job\npaths: [policies]\n');
    for (let index = 0; index < 45; index++) {
      repo.write(
        `policies/p${index}.yaml`,
        `key: p${index}\n${policyYaml(`name ${index}`, 'severity: LOW\n')}`,
      );
    }
    const planned = await run(repo, 'plan', '--out', 'plan.json', '-o', 'json');
    expect(summaryOf(planned)).toMatchObject({ create: 45 });
    const applied = await run(repo, 'apply', 'plan.json', '--auto-approve', '-o', 'json');
    expect(applied, applied.stderr).toMatchObject({ exitCode: 0 });
    expect(summaryOf(applied)).toMatchObject({ applied: 45, failed: 0 });
    expect(await run(repo, 'plan', '--detailed-exitcode')).toMatchObject({ exitCode: 0 });

    // Thirty names go round in circles, one policy loses a field, two lose their files.
    for (let index = 0; index < 30; index++) {
      repo.write(
        `policies/p${index}.yaml`,
        `key: p${index}\n${policyYaml(`name ${(index + 7) % 30}`, 'severity: LOW\n')}`,
      );
    }
    repo.write('policies/p30.yaml', `key: p30\n${policyYaml('name 30')}`);
    repo.remove('policies/p43.yaml');
    repo.remove('policies/p44.yaml');
    const second = await run(repo, 'apply', '--prune', '--auto-approve', '-o', 'json');
    expect(second, second.stderr + second.stdout).toMatchObject({ exitCode: 0 });
    expect(summaryOf(second)).toMatchObject({ applied: 33, failed: 0 });
    const again = await run(repo, 'plan', '--prune', '-o', 'json');
    expect(summaryOf(again)).toMatchObject({
      create: 0,
      update: 0,
      delete: 0,
      unchanged: 43,
      orphaned: 0,
    });

    const disabled = await run(repo, 'policy', 'disable', 'name 31', '--yes');
    expect(disabled, disabled.stderr).toMatchObject({ exitCode: 0 });
    expect(await run(repo, 'drift')).toMatchObject({
      exitCode: 2,
      stdout: expect.stringContaining('enabled: true → false'),
    });
    expect(await run(repo, 'apply', '--auto-approve')).toMatchObject({ exitCode: 0 });
    expect(await run(repo, 'drift')).toMatchObject({ exitCode: 0 });

    expect(await run(repo, 'import', '--out', 'copy')).toMatchObject({ exitCode: 0 });
    expect(readdirSync(path.join(repo.folder, 'copy'))).toHaveLength(43);
    const copied = await run(repo, 'plan', 'copy', '-o', 'json');
    expect(summaryOf(copied)).toMatchObject({ create: 0, update: 0, unchanged: 43 });
  });

  it('leaves the policies of two projects to each project', async () => {
    const [one, two] = ['project-one', 'project-two'].map((project) => {
      const repo = createRepo(`project: ${project}\npaths: [policies]\n`);
      repo.write('policies/a.yaml', policyYaml(`of ${project}`));
      return repo;
    }) as [TestRepo, TestRepo];
    expect(await run(one, 'apply', '--auto-approve')).toMatchObject({ exitCode: 0 });
    expect(await run(two, 'apply', '--auto-approve')).toMatchObject({ exitCode: 0 });
    two.remove('policies/a.yaml');
    const emptied = await run(
      two,
      'apply',
      '--prune',
      '--allow-empty',
      '--auto-approve',
      '-o',
      'json',
    );
    expect(summaryOf(emptied)).toMatchObject({ applied: 1 });
    expect(await run(one, 'plan', '--detailed-exitcode')).toMatchObject({ exitCode: 0 });
  });
});

describe('a service that is not what it should be', () => {
  const withPolicy = () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    return repo;
  };

  it.each([
    ['a login page', 'html' as const, 'the response is not JSON and begins with'],
    ['an error', 'error' as const, '500'],
    ['a cut connection', 'cut' as const, 'cannot be reached'],
  ])(
    'says that it tries again, and ends in one clear line where it answers with %s',
    async (_, mishap, said) => {
      const repo = withPolicy();
      repo.service.setFaults({ onRequest: () => mishap });
      const plan = await repo.govctl(['plan']);
      expect(plan).toMatchObject({ exitCode: 1, stdout: '' });
      expect(plan.stderr).toContain(said);
      expect(plan.stderr).toMatch(
        /^(https:\/\/service\.test .*; retrying .*\n)?error: .*\n( {2}→ .*\n)?( {2}\(.*\n)?$/,
      );
    },
    60_000,
  );

  it('says to log in where the token is refused', async () => {
    const repo = withPolicy();
    const plan = await repo.govctl(['plan'], {
      fetch: (url, init) => repo.service.fetch(url, { ...init, headers: {} }),
    });
    expect(plan).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('govctl auth login'),
    });
  });
});
