import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFileReader } from '../../../src/server/cost-imports/reading/thread/threads.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { importFiles } from './import-files.ts';

const reader = createFileReader(new URL('./greedy-worker.js', import.meta.url), 32);
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ readFiles: reader.readFiles });
});
afterAll(async () => {
  await service.close();
  await reader.close();
});

it('an import that takes more memory than there is fails, and says what to do', async () => {
  const { status, failure } = await importFiles(service, [{ name: 'a.csv', bytes: 'a\n' }]);
  expect(status).toBe('failed');
  expect(failure?.reason).toContain('Import fewer files at a time');
});
