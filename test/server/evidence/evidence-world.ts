import { createPublicKey } from 'node:crypto';
import type { EvidenceItem } from '../../../src/contract/evidence.ts';
import { readContainer } from '../../../src/report/evidence/container.ts';
import { verifyBundle } from '../../../src/report/evidence/verify.ts';
import type { Verified } from '../../../src/report/evidence/verify.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { Got, Sent, TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

export const path = '/v1/compliance/evidence';
export const manualPath = `${path}/manual`;

type Options = NonNullable<Parameters<typeof startTestService>[0]>;

/** The service, with bundles that are built at once. */
export const startEvidence = (options: Options = {}): Promise<TestService> =>
  startTestService({ evidence: true, ...options });

/** A policy of SOC2:CC6.1, a bucket that passes and one that fails, and a scan of both. */
export async function fill(service: TestService): Promise<string> {
  const inventory = inventoryOf(service);
  const id = await inventory.createPolicy('p', { compliance_frameworks: ['SOC2:CC6.1'] });
  await inventory.put('open', { public: true });
  await inventory.put('fine', { public: false });
  await inventory.ok('POST', '/v1/scans', { body: {} });
  await service.evaluator.run();
  return id;
}

export const collect = (service: TestService, fields = {}, sent: Sent = {}): Promise<Got> =>
  service.send('POST', path, { body: { framework: 'soc2', ...fields }, ...sent });

export const attach = (service: TestService, fields = {}, sent: Sent = {}): Promise<Got> =>
  service.send('POST', manualPath, {
    body: { control: 'SOC2:CC1.1', text: 'Signed by all.', expires: '2026-12-31', ...fields },
    ...sent,
  });

export const idOf = (got: Got): string => {
  if (got.status >= 300) throw new Error(`${got.status} ${got.text}`);
  return String(got.json.id);
};

export async function collected(service: TestService, fields = {}): Promise<string> {
  const id = idOf(await collect(service, fields));
  await service.evidenceWork.idle();
  return id;
}

export const read = async (service: TestService, id: string) =>
  (await service.send('GET', `${path}/${id}`)).json;

/** The bytes that a path answers. */
export async function bytesOf(
  service: TestService,
  at: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly bytes: Buffer }> {
  const response = await service.app.fetch(
    new Request(`http://service.test${at}`, {
      headers: { authorization: `Bearer ${service.key}`, ...headers },
    }),
    { remoteAddress: undefined },
  );
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}

export const bundleOf = async (service: TestService, id: string): Promise<Buffer> =>
  (await bytesOf(service, `${path}/${id}/bundle`)).bytes;

/** Whether a bundle is as this server wrote it. */
export async function verified(service: TestService, bytes: Buffer): Promise<Verified> {
  const { key } = (await service.send('GET', `${path}/key`)).json as {
    key: { public_key: string };
  };
  return verifyBundle(bytes, [createPublicKey(key.public_key)]);
}

/** The text of each entry of a bundle, by its name. */
export function textsOf(bundle: Buffer): ReadonlyMap<string, string> {
  const entries = readContainer(bundle);
  if ('kind' in entries) throw new Error(entries.what);
  return new Map(entries.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]));
}

export async function itemsOf(service: TestService, query: string): Promise<EvidenceItem[]> {
  const got = await service.send('GET', `${path}?${query}`);
  if (got.status !== 200) throw new Error(got.text);
  return got.json.evidence as EvidenceItem[];
}
