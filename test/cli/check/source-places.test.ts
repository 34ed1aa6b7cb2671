import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createSourcePlaces, readSources } from '../../../src/cli/check/source-places.ts';
import { createBoundary } from '../../../src/project/read/boundary.ts';
import { makeTempFolder } from '../../support/built-cli.ts';

const bucket = 'resource "aws_s3_bucket" "logs" {\n}\n';

function sources(): string {
  const root = makeTempFolder();
  mkdirSync(path.join(root, 'modules', 'web'), { recursive: true });
  writeFileSync(path.join(root, 'main.tf'), bucket);
  writeFileSync(path.join(root, 'modules', 'web', 'main.tf'), bucket);
  mkdirSync(path.join(root, 'folder.tf'));
  return root;
}
const read = (root: string, signal: AbortSignal) =>
  readSources(root, 'infra', createBoundary(root, [], false), signal);

it('reads the sources of a root module and of what is below it', async () => {
  const found = await read(sources(), new AbortController().signal);
  expect(found.map(({ path: name }) => name).sort()).toEqual(['main.tf', 'modules/web/main.tf']);
});

it('ends among the sources once the check is interrupted', async () => {
  const interruption = new AbortController();
  const reading = read(sources(), interruption.signal);
  interruption.abort();
  await expect(reading).rejects.toMatchObject({ error: 'interrupted' });
  const places = createSourcePlaces(sources(), '.', false, interruption.signal);
  await expect(places).rejects.toMatchObject({ error: 'interrupted' });
});

it('refuses more than a machine should read, with what to name instead', async () => {
  const root = sources();
  writeFileSync(path.join(root, 'huge.tf'), '');
  truncateSync(path.join(root, 'huge.tf'), 65 * 1024 * 1024);
  await expect(read(root, new AbortController().signal)).rejects.toMatchObject({
    error: 'usage_error',
    message: expect.stringContaining(
      '--source infra: the .tf files are larger than 64 MiB',
    ) as string,
    hint: expect.stringContaining('root module') as string,
  });
});
