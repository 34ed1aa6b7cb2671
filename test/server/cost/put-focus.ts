import type { TestService } from '../test-service.ts';

/** Has a service import a FOCUS file in CSV. */
export async function putFocus(service: TestService, csv: string): Promise<void> {
  const opened = await service.send('POST', '/v1/cost/imports', { body: {} });
  const path = `/v1/cost/imports/${String(opened.json.id)}`;
  const headers = { 'content-type': 'application/octet-stream' };
  await service.send('PUT', `${path}/files/1?name=focus.csv`, { text: csv, headers });
  await service.send('POST', `${path}/commit`);
  await service.costImportWork.idle();
  const { text, json } = await service.send('GET', path);
  if (json.status !== 'completed') throw new Error(`the charges were not imported: ${text}`);
}
