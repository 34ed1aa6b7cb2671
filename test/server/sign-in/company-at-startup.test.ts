import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServer } from '../../../src/server/start.ts';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'govctl-company-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Given {
  readonly issuer?: string;
  readonly role?: string;
  /** Other machines can reach the server by it. */
  readonly publicUrl?: string;
}

/** A server with these settings; nobody answers at the provider. */
async function start({ issuer = 'https://id.example.com', role = 'viewer', publicUrl }: Given) {
  const configFile = path.join(folder, 'config.yaml');
  const company = { name: 'Example', issuer, client_id: 'x', client_secret: 'y', roles: [{ claim: 'groups', value: 'all', role }] }; // prettier-ignore
  await writeFile(configFile, JSON.stringify({ sign_in: { company } }));
  return startServer({
    host: '127.0.0.1',
    port: 0,
    dataDir: path.join(folder, 'data'),
    store: 'lowdb',
    allowTargets: [],
    metrics: false,
    logLevel: 'silent',
    configFile,
    ...(publicUrl === undefined ? {} : { publicUrl }),
  });
}

const onTheInternet = { publicUrl: 'https://governance.example.com' };

describe('a server with company sign-in', () => {
  it('starts although nobody answers at the provider', async () => {
    await (await start(onTheInternet)).stop();
  });

  it('does not start with a provider over http, unless only this machine reaches it', async () => {
    const issuer = 'http://127.0.0.1:9';
    await expect(start({ ...onTheInternet, issuer })).rejects.toMatchObject({
      error: 'invalid_file',
      message: `sign_in.company.issuer in --config must begin with https://, not ${issuer}`,
      hint: 'Use an https:// issuer. http:// works only on a server that no other machine can reach.',
    });
    await (await start({ issuer })).stop();
  });

  it('does not start with a rule for a role that there is not, and starts once there is one', async () => {
    const role = 'report-maker';
    await expect(start({ role })).rejects.toMatchObject({
      error: 'invalid_file',
      message: 'sign_in.company.roles in --config contains unknown roles: report-maker',
      hint: expect.stringContaining('govctl role create') as string,
    });
    const without = await start({});
    const made = await without.fetch(`${without.baseUrl}/v1/roles`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${without.apiKey?.key ?? ''}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name: role, scopes: ['governance:read'] }),
    });
    expect(made.status).toBe(201);
    await without.stop();
    await (await start({ role })).stop();
  });
});
