import { gzipSync } from 'node:zlib';
import type { CostImport } from '../../../src/contract/cost-imports.ts';
import type { TestService } from '../test-service.ts';

export interface TestFile {
  readonly name: string;
  readonly bytes: string | Uint8Array;
}

/** Imports files through the API. @returns the import once it has ended */
export async function importFiles(
  service: TestService,
  files: readonly TestFile[],
  options: Readonly<Record<string, unknown>> = {},
): Promise<CostImport> {
  const opened = await service.send('POST', '/v1/cost/imports', { body: options });
  const path = `/v1/cost/imports/${String(opened.json.id)}`;
  const headers = { 'content-type': 'application/octet-stream' };
  for (const [at, { name, bytes }] of files.entries()) {
    const search = `?name=${encodeURIComponent(name)}`;
    const sent = await service.send('PUT', `${path}/files/${at + 1}${search}`, {
      bytes: new Uint8Array(Buffer.from(bytes)),
      headers,
    });
    if (sent.status !== 200) throw new Error(sent.text);
  }
  const committed = await service.send('POST', `${path}/commit`);
  if (committed.status !== 202) throw new Error(committed.text);
  await service.costImportWork.idle();
  return (await service.send('GET', path)).json as unknown as CostImport;
}

export const gzipped = ({ name, bytes }: TestFile): TestFile => ({
  name: `${name}.gz`,
  bytes: gzipSync(bytes),
});
