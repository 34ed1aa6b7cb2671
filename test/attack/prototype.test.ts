import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { contract } from '../../src/contract/contract.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { readServerConfig } from '../../src/server/config/read-config.ts';
import { createRepo } from '../cli/plan/repo.ts';
import { create, idOf, startReports } from '../server/reports/report-world.ts';
import type { TestService } from '../server/test-service.ts';

// Names that every object has (__proto__, constructor, toString), at every door through which a name of a user comes in.

const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype'];
const hostile = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';

let service: TestService;
beforeEach(async () => {
  service = await startReports();
});
afterEach(async () => {
  await service.close();
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
});

const endpoints = Object.values(contract).flatMap((noun) => Object.values<Endpoint>(noun));
const urlOf = ({ path: given }: Endpoint): string => given.replace(/:\w+/g, 'x');

describe('a link to a report leads nowhere with anything in its query but what was signed', () => {
  test('whatever it is called, and wherever it stands', async () => {
    const id = idOf(await create(service));
    await service.reportWork.idle();
    const body = { format: 'pdf' };
    const made = await service.send('POST', `/v1/reports/${id}/download-link`, { body });
    const url = String(made.json.url).replace('https://govctl.test', '');
    const follow = (to: string) => service.send('GET', to, { key: null });
    expect((await follow(url)).status).toBe(200);
    const [place = '', query = ''] = url.split('?');
    const [expires = '', signature = ''] = query.split('&');
    const added = [
      ...names,
      '%5F%5Fproto%5F%5F',
      '__proto__[x]',
      '',
      'expires',
      'signature',
      'EXPIRES',
    ];
    for (const name of added) {
      for (const part of [`${name}=x`, `${name}=`, name]) {
        for (const changed of [
          `${query}&${part}`,
          `${part}&${query}`,
          `${expires}&${part}&${signature}`,
        ]) {
          // What is empty is no part of a query.
          if (part === '') continue;
          const got = await follow(`${place}?${changed}`);
          expect([changed, got.status, got.json.error_code]).toEqual([changed, 404, 'RPT_002']);
        }
      }
    }
    for (const changed of [
      `${expires}&${expires}&${signature}`,
      `${query}&${signature}`,
      `${query};__proto__=x`,
      query.replace('=', '%3D'),
      query.replace('expires', '__proto__'),
    ]) {
      expect([changed, (await follow(`${place}?${changed}`)).status]).toEqual([changed, 404]);
    }
  });
});

test('a query names only what its endpoint knows, at every endpoint', async () => {
  const asked = endpoints.filter((one) => one.method === 'GET' && !one.signedQuery);
  expect(asked.length).toBeGreaterThan(20);
  for (const endpoint of asked) {
    for (const name of names) {
      const url = `${urlOf(endpoint)}?${name}=1`;
      const got = await service.send('GET', url);
      // Without an object of that name there is nothing to look for.
      expect([url, [400, 404].includes(got.status)]).toEqual([url, true]);
    }
  }
});

test('a body is taken by no endpoint with such a name in the place of its fields', async () => {
  const asked = endpoints.filter(
    ({ body, streamed }) => body !== undefined && streamed === undefined,
  );
  expect(asked.length).toBeGreaterThan(20);
  for (const endpoint of asked) {
    const url = urlOf(endpoint);
    const got = await service.send(endpoint.method, url, { text: hostile });
    expect([url, got.status >= 400 && got.status < 500]).toEqual([url, true]);
  }
});

test('a form gives no more rights than its own fields say', async () => {
  const own = JSON.parse('{"__proto__":{"client_id":"x"}}') as object;
  for (const text of [
    'grant_type=client_credentials&__proto__=x&__proto__[client_id]=x',
    'grant_type=client_credentials&constructor[prototype][scope]=admin',
  ]) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const got = await service.send('POST', '/auth/token', { text, headers, key: null });
    expect([400, 401]).toContain(got.status);
  }
  const got = await service.send('POST', '/auth/token', { body: own, key: null });
  expect(got.status).toBe(400);
});

test('a resource keeps such names as data, however it comes in', async () => {
  const line = (id: string) =>
    `{"id":"${id}","type":"AWS::S3::Bucket","tags":{"__proto__":"a","constructor":"b"},"properties":${hostile}}`;
  await service.send('PUT', '/v1/resources/one', { text: line('one') });
  await service.send('POST', '/v1/resources', { text: `{"resources":[${line('two')}]}` });
  const headers = { 'content-type': 'application/x-ndjson' };
  await service.send('POST', '/v1/resources/import', { text: `${line('three')}\n`, headers });
  for (const id of ['one', 'two', 'three']) {
    const { text } = await service.send('GET', `/v1/resources/${id}`);
    expect(text).toContain('"tags":{"__proto__":"a","constructor":"b"}');
    expect(text).toContain(`"properties":${hostile}`);
  }
});

test('a snapshot that was tampered with is refused, and the data stays', async () => {
  await service.send('PUT', '/v1/resources/one', { body: { id: 'one', type: 'A::B' } });
  const { text } = await service.send('GET', '/v1/local/snapshot');
  const lines = text.trimEnd().split('\n');
  for (const line of [
    '{"in":"__proto__","doc":{"id":"1"}}',
    '{"in":"constructor","doc":{"id":"1"}}',
    hostile,
  ]) {
    const tampered = [...lines.slice(0, -1), line, lines.at(-1)].join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    const got = await service.send('POST', '/v1/local/restore', { text: `${tampered}\n`, headers });
    expect(got.status).toBe(400);
  }
  expect((await service.send('GET', '/v1/resources/one')).status).toBe(200);
});

describe('files', () => {
  test.each(['__proto__', 'constructor', 'toString'])(
    'of a repo have no field %s',
    async (name) => {
      const repo = createRepo();
      const policy = 'name: P\nresource_type: A::B\nrules: [{condition: "true", effect: DENY}]\n';
      repo.write('policies/p.yaml', `${policy}${name}: {enabled: false}\n`);
      const validated = await repo.govctl(['validate']);
      expect(validated.exitCode).toBe(3);
      expect(validated.stdout + validated.stderr).toMatch(`p.yaml:4:1`);
      const other = createRepo(
        `project: acme\npaths: [policies]\n${name}: {base_url: "https://x"}\n`,
      );
      other.write('policies/p.yaml', policy);
      const refused = await other.govctl(['validate']);
      expect(refused.exitCode).toBe(3);
      expect(refused.stdout + refused.stderr).toContain('govctl.yaml:3');
    },
  );

  test.each([
    [
      'cloudformation',
      `{"Resources":{"__proto__":{"Type":"AWS::S3::Bucket","Properties":{"Tags":[{"Key":"__proto__","Value":"v"}],"BucketName":{"Fn::FindInMap":["__proto__","constructor","toString"]},"X":{"Ref":"__proto__"}}}},"Mappings":${hostile},"Parameters":${hostile}}`,
    ],
    [
      'terraform',
      `{"format_version":"1.2","terraform_version":"1.5.0","planned_values":{"root_module":{"resources":[{"address":"aws_s3_bucket.__proto__","mode":"managed","type":"aws_s3_bucket","name":"__proto__","values":{"tags":{"__proto__":"v"},"bucket":"b"}},{"address":"constructor.x","mode":"managed","type":"constructor","name":"x","values":${hostile}}]}}}`,
    ],
    ['native', '[{"id":"a","type":"AWS::S3::Bucket","tags":{"__proto__":"v"}}]'],
  ])('of %s are evaluated with such names as data', async (_, text) => {
    const repo = createRepo();
    repo.write(
      'policies/p.yaml',
      'name: P\nresource_type: AWS::S3::Bucket\nrules: [{condition: "resource.tags.exists(key, key == \'__proto__\')", effect: DENY, message: seen}]\n',
    );
    repo.write('input.json', text);
    const outcome = await repo.govctl(['check', 'input.json', '-o', 'json']);
    expect([outcome.exitCode, outcome.stderr]).toEqual([2, expect.any(String)]);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ summary: { fail: 1 } });
  });

  test.each([
    ['__proto__: {}\n', '__proto__ is not a known field'],
    ['secrets: {__proto__: {hosts: [a.example]}}\n', 'secrets.__proto__ is not a known field'],
    [
      'secrets: {A: {__proto__: {hosts: [a.example]}}}\n',
      'secrets.A.__proto__ is not a known field',
    ],
    [
      'chat: {channels: {__proto__: "https://a.example/"}}\n',
      'chat.channels.__proto__ is not a known field',
    ],
    [
      'smtp: {host: a, from: a@b.example, constructor: {}}\n',
      'smtp.constructor is not a known field',
    ],
  ])("of the server's configuration refuse %j", async (text, said) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'govctl-prototype-'));
    try {
      const file = path.join(folder, 'server.yaml');
      writeFileSync(file, text, { mode: 0o600 });
      await expect(readServerConfig(file, {})).rejects.toThrow(said);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the command line', () => {
  test.each(names)('has no profile %s, and no field of that name to set', async (name) => {
    const repo = createRepo();
    const profile = await repo.govctl(['policy', 'list'], {
      env: { GOVCTL_PROFILE: name, GOVCTL_TOKEN: '', GOVCTL_BASE_URL: '' },
    });
    expect(profile.exitCode).toBeGreaterThan(2);
    const set = await repo.govctl(['policy', 'update', 'pol_x', '--set', `${name}={polluted: 1}`]);
    expect([set.exitCode, set.stderr]).toEqual([3, expect.stringContaining(`no field "${name}"`)]);
  });
});
