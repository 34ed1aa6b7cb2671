import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../../server/inventory-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';

type Finding = Readonly<Record<string, unknown>>;

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
  const inventory = inventoryOf(service);
  await inventory.createPolicy('private', {
    severity: 'HIGH',
    compliance_frameworks: ['SOC2:CC6.1', 'FINOPS'],
  });
  const aws = { account_id: '111122223333', region: 'eu-central-1', environment: 'prod' };
  await inventory.put('arn:aws:s3:::open', {
    public: true,
    ...aws,
    name: 'open',
    tags: { team: 'shop' },
  });
  await inventory.put('mended', { public: true, ...aws });
  await inventory.put('mended', { public: false, ...aws });
  await inventory.put('waived', { public: true, ...aws });
  await inventory.exempt({ policy: 'private', resources: ['waived'] });
  await inventory.put('nowhere', { public: true });
  await service.evaluator.run();
});
afterEach(() => service.close());

const list = (...argv: string[]) =>
  runCommandLine(['violation', 'list', '--status', 'OPEN,EXEMPT,RESOLVED', ...argv], {
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key },
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
  });

async function findings(...argv: string[]): Promise<{ all: readonly Finding[]; stderr: string }> {
  const { exitCode, stdout, stderr } = await list(...argv);
  expect(exitCode, stderr).toBe(0);
  return { all: JSON.parse(stdout) as Finding[], stderr };
}

describe('violations for other tools', () => {
  it('are Compliance Findings of OCSF', async () => {
    const { all } = await findings('-o', 'ocsf');
    const of = (uid: string) =>
      all.find(({ resources }) => (resources as { uid: string }[])[0]?.uid === uid);
    expect(all).toHaveLength(4);
    expect(of('arn:aws:s3:::open')).toMatchObject({
      metadata: { version: '1.4.0', product: { name: 'govctl' } },
      class_uid: 2003,
      type_uid: 200_301,
      severity_id: 4,
      status: 'New',
      finding_info: { title: 'private', analytic: { type_id: 1 } },
      compliance: {
        control: 'private',
        standards: ['SOC2', 'FINOPS'],
        requirements: ['SOC2:CC6.1'],
        status: 'Fail',
      },
      resources: [{ type: 'AWS::S3::Bucket', region: 'eu-central-1', labels: ['team:shop'] }],
      cloud: { provider: 'aws', account: { uid: '111122223333', type_id: 10 } },
      unmapped: { environment: 'prod' },
    });
    const [{ time, time_dt: at } = {}] = all;
    expect(new Date(time as number).toISOString()).toBe(at);
    expect([of('mended')?.status, of('mended')?.type_uid]).toEqual(['Resolved', 200_303]);
    expect(of('mended')?.compliance).toMatchObject({ status: 'Pass' });
    expect([of('waived')?.status, of('waived')?.type_uid]).toEqual(['Suppressed', 200_302]);
    expect(of('nowhere')?.cloud).toEqual({ provider: 'aws' });
  });

  it('are findings as Security Hub imports them, and those without an AWS account are counted', async () => {
    const { all, stderr } = await findings('-o', 'asff');
    expect(stderr).toContain(
      '1 violation omitted from the asff output, which requires an AWS account.',
    );
    const of = (id: string) =>
      all.find(({ Resources: its }) => (its as { Id: string }[])[0]?.Id === id);
    expect(all).toHaveLength(3);
    expect(of('arn:aws:s3:::open')).toMatchObject({
      SchemaVersion: '2018-10-08',
      ProductArn: 'arn:aws:securityhub:eu-central-1:111122223333:product/111122223333/default',
      AwsAccountId: '111122223333',
      Severity: { Label: 'HIGH' },
      Resources: [
        { Type: 'AwsS3Bucket', Region: 'eu-central-1', Partition: 'aws', Tags: { team: 'shop' } },
      ],
      Compliance: { Status: 'FAILED', RelatedRequirements: ['SOC2:CC6.1', 'FINOPS'] },
      Workflow: { Status: 'NEW' },
      RecordState: 'ACTIVE',
    });
    expect(of('mended')).toMatchObject({
      Compliance: { Status: 'PASSED' },
      Workflow: { Status: 'RESOLVED' },
    });
    expect(of('waived')).toMatchObject({ Workflow: { Status: 'SUPPRESSED' } });
  });

  it('are written whatever the provider of a resource is called', async () => {
    const odd = { provider: 'constructor', account_id: '111122223333' };
    await inventoryOf(service).put('odd', { public: true, ...odd });
    await service.evaluator.run();
    const { all } = await findings('-o', 'ocsf');
    expect(all.map(({ cloud }) => cloud)).toContainEqual({
      provider: 'constructor',
      account: { uid: '111122223333', type_id: 99, type: 'Other' },
    });
  });

  it('are empty lists where nothing matches', async () => {
    for (const format of ['ocsf', 'asff']) {
      expect((await findings('--severity', 'LOW', '-o', format)).all).toEqual([]);
    }
  });

  it('tell nothing of accounts in other formats', async () => {
    expect((await list('-o', 'json')).stderr).not.toContain('AWS account');
  });
});
