import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestService } from '../test-service.ts';
import { fieldsOf, policy, startTestService } from '../test-service.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const create = (name: string, fields = {}) =>
  service.send('POST', '/v1/policies', { body: policy(name, fields) });

describe('a policy is created', () => {
  it('answers 201 with the whole policy, its ETag and its place', async () => {
    const got = await create('p', { severity: 'HIGH', tags: ['a'], description: 'd' });
    expect(got.status).toBe(201);
    expect(got.json).toEqual({
      ...policy('p', { severity: 'HIGH', tags: ['a'], description: 'd' }),
      id: expect.stringMatching(/^pol_[0-9a-hjkmnp-tv-z]{26}$/),
      enabled: true,
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:00.000Z',
      created_by: expect.stringMatching(/^user_/),
    });
    expect(got.headers.get('etag')).toMatch(/^"\d+"$/);
    expect(got.headers.get('location')).toBe(`/v1/policies/${String(got.json.id)}`);
    const read = await service.send('GET', `/v1/policies/${String(got.json.id)}`);
    expect(read.status).toBe(200);
    expect(read.text).toBe(got.text);
    expect(read.headers.get('etag')).toBe(got.headers.get('etag'));
  });

  it('leaves out of the answer what was not given', async () => {
    expect((await create('p')).json).not.toHaveProperty('severity');
  });

  it('refuses a tag that names no enforcement, as in files; tags of other tools are free', async () => {
    const got = await create('p', { tags: ['a', 'enforcement:advisroy'] });
    expect(got.status).toBe(400);
    expect(got.json).toMatchObject({
      error_code: 'POL_001',
      details: [
        {
          field: 'tags[1]',
          message:
            '"enforcement:advisroy" is not an enforcement tag. Did you mean enforcement:advisory?',
        },
      ],
    });
    const both = await create('p', { tags: ['enforcement:mandatory', 'enforcement:advisory'] });
    expect(both.json).toMatchObject({ details: [{ field: 'tags[1]' }] });
    const tags = ['enforcement', 'enforcement-level:x', 'set:mine', 'enforcement:mandatory'];
    const made = await create('p', { tags });
    expect(made.status).toBe(201);
    const path = `/v1/policies/${String(made.json.id)}`;
    const changed = await service.send('PUT', path, { body: { tags: ['Enforcement:Mandatory'] } });
    expect([changed.status, changed.json.error_code]).toEqual([400, 'POL_001']);
    expect((await service.send('PUT', path, { body: { severity: 'LOW' } })).status).toBe(200);
  });

  it('refuses a name that is taken with POL_004, naming it', async () => {
    await create('same');
    const got = await create('same');
    expect(got.status).toBe(409);
    expect(got.json).toMatchObject({ error: 'policy_name_taken', error_code: 'POL_004' });
    expect(got.text).toContain('same');
  });

  it('gives two at the same moment one name only once', async () => {
    const got = await Promise.all(Array.from({ length: 5 }, () => create('race')));
    expect(got.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  it('names every wrong field and the nearest known one, as POL_001', async () => {
    const got = await service.send('POST', '/v1/policies', {
      body: {
        nme: 'x',
        resource_type: 'AWS::S3*',
        severity: 'HIHG',
        rules: [{ condition: 'true', efect: 'DENY' }],
      },
    });
    expect(got.status).toBe(400);
    expect(got.json).toMatchObject({ error: 'invalid_policy', error_code: 'POL_001' });
    expect(fieldsOf(got).sort()).toEqual(
      ['name', 'nme', 'resource_type', 'rules[0].efect', 'rules[0].effect', 'severity'].sort(),
    );
    expect(got.text).toContain('did you mean name?');
    expect(got.text).toContain('did you mean effect?');
    expect(got.text).toContain('did you mean HIGH?');
  });

  it.each([
    ['empty rules', { rules: [] }, 'rules'],
    ['an empty name', { name: '' }, 'name'],
    ['a blank name', { name: '   ' }, 'name'],
    ['a name of another type', { name: 7 }, 'name'],
    ['null where a field is required', { rules: null }, 'rules'],
    ['a wildcard in a part', { resource_type: 'AWS::S3::B*' }, 'resource_type'],
    ['a type without its last part', { resource_type: 'AWS::S3' }, 'resource_type'],
    ['a single part type', { resource_type: 'Bucket' }, 'resource_type'],
    ['a server-assigned field', { id: 'pol_x' }, 'id'],
  ])('refuses %s', async (_, fields, field) => {
    const got = await create('p', fields);
    expect([got.status, got.json.error]).toEqual([400, 'invalid_policy']);
    expect(fieldsOf(got)).toContain(field);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'refuses the unknown field %s like any other, and takes it as a name and a tag',
    async (word) => {
      const got = await service.send('POST', '/v1/policies', {
        text: `{"name":"n","resource_type":"A::B","rules":[{"condition":"true","effect":"DENY"}],"${word}":{"x":1}}`,
      });
      expect([got.status, fieldsOf(got)]).toEqual([400, [word]]);
      const created = await create(word, { tags: [word] });
      expect([created.status, created.json.name]).toEqual([201, word]);
      const listed = await service.send('GET', `/v1/policies?tags=${word}`);
      expect(listed.json).toMatchObject({ pagination: { total: 1 } });
      const unknown = await service.send('GET', `/v1/policies?${word}=1`);
      expect([unknown.status, fieldsOf(unknown)]).toEqual([400, [word]]);
    },
  );

  it('keeps names of any script apart and as they are', async () => {
    for (const name of ['加密', 'Ж', '🪣', 'é', 'e\u0301', '\u202e', 'A', 'a']) {
      expect([(await create(name)).status, name]).toEqual([201, name]);
    }
    const got = await service.send('GET', '/v1/policies?sort_by=name&order=asc');
    expect(got.text).toContain('🪣');
    expect(got.json).toMatchObject({ pagination: { total: 8 } });
  });

  it('refuses each condition that does not compile, with line, column, caret and the nearest word', async () => {
    const got = await create('p', {
      rules: [
        { condition: 'resource.a == 1', effect: 'DENY' },
        { condition: 'resource.a == 1 &&\nresurce.b', effect: 'DENY' },
        { condition: '1 + 2', effect: 'ALLOW' },
      ],
    });
    expect([got.status, got.json.error, got.json.error_code]).toEqual([
      400,
      'policy_condition_invalid',
      'POL_003',
    ]);
    expect(fieldsOf(got)).toEqual(['rules[1].condition', 'rules[2].condition']);
    const [first] = got.json.details as { message: string }[];
    expect(first?.message).toBe(
      'line 2, column 1: Unknown variable: resurce; did you mean resource?\nresurce.b\n^^^^^^^',
    );
  });
});

describe('a policy is changed', () => {
  it('keeps what is left out, clears optional fields by null and puts enabled back to its default', async () => {
    const { id } = (
      await create('p', { severity: 'LOW', description: 'd', enabled: false, tags: ['t'] })
    ).json;
    service.advance(1000);
    const got = await service.send('PUT', `/v1/policies/${String(id)}`, {
      body: { severity: null, enabled: null, tags: ['u', 'v'] },
    });
    expect(got.status).toBe(200);
    expect(got.json).toMatchObject({
      name: 'p',
      description: 'd',
      enabled: true,
      tags: ['u', 'v'],
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:01.000Z',
    });
    expect(got.json).not.toHaveProperty('severity');
  });

  it('takes back what GET answered, and changes nothing by it', async () => {
    const created = await create('p', { tags: ['a'] });
    service.advance(1000);
    const got = await service.send('PUT', `/v1/policies/${String(created.json.id)}`, {
      text: created.text,
    });
    expect([got.status, got.text]).toEqual([200, created.text]);
    expect(got.headers.get('etag')).toBe(created.headers.get('etag'));
  });

  it('ignores what the server assigns, but refuses another id', async () => {
    const { id, created_by: createdBy } = (await create('p')).json;
    const got = await service.send('PUT', `/v1/policies/${String(id)}`, {
      body: { created_by: 'user_evil', created_at: 'x', updated_at: 1, description: 'new' },
    });
    expect(got.json).toMatchObject({
      created_by: createdBy,
      created_at: '2026-03-01T12:00:00.000Z',
      description: 'new',
    });
    const other = await service.send('PUT', `/v1/policies/${String(id)}`, {
      body: { id: 'pol_other' },
    });
    expect([other.status, other.json.error, fieldsOf(other)]).toEqual([
      400,
      'invalid_policy',
      ['id'],
    ]);
  });

  it.each(['name', 'resource_type', 'rules'])(
    'does not clear the required field %s',
    async (field) => {
      const { id } = (await create('p')).json;
      const got = await service.send('PUT', `/v1/policies/${String(id)}`, {
        body: { [field]: null },
      });
      expect([got.status, fieldsOf(got)]).toEqual([400, [field]]);
    },
  );

  it('moves updated_at on with every change, within a millisecond and when the clock goes back', async () => {
    const { id } = (await create('p')).json;
    const times: unknown[] = [];
    for (const [step, description] of ['a', 'b', 'c'].entries()) {
      if (step === 2) service.advance(-5000);
      times.push(
        (await service.send('PUT', `/v1/policies/${String(id)}`, { body: { description } })).json
          .updated_at,
      );
    }
    expect(times).toEqual([
      '2026-03-01T12:00:00.001Z',
      '2026-03-01T12:00:00.002Z',
      '2026-03-01T12:00:00.003Z',
    ]);
  });

  it('checks changed conditions and taken names', async () => {
    await create('taken');
    const { id } = (await create('p')).json;
    const bad = await service.send('PUT', `/v1/policies/${String(id)}`, {
      body: { rules: [{ condition: '(', effect: 'DENY' }] },
    });
    expect(bad.json.error).toBe('policy_condition_invalid');
    const taken = await service.send('PUT', `/v1/policies/${String(id)}`, {
      body: { name: 'taken' },
    });
    expect([taken.status, taken.json.error]).toEqual([409, 'policy_name_taken']);
  });
});

describe('If-Match and If-None-Match', () => {
  it.each(['PUT', 'DELETE'])(
    '%s goes through on the current tag, on * and in a list; else 412 names the current one',
    async (method) => {
      const headersThat = {
        pass: ['{etag}', '*', '"0", {etag}'],
        fail: ['"0"', 'W/{etag}', 'nonsense'],
      };
      for (const [expected, forms] of Object.entries(headersThat)) {
        for (const form of forms) {
          const created = await create(`p ${expected} ${form}`);
          const etag = created.headers.get('etag') ?? '';
          const got = await service.send(method, `/v1/policies/${String(created.json.id)}`, {
            headers: { 'if-match': form.replace('{etag}', etag) },
            ...(method === 'PUT' ? { body: { description: 'new' } } : {}),
          });
          if (expected === 'pass')
            expect([form, got.status]).toEqual([form, method === 'PUT' ? 200 : 204]);
          else {
            expect([form, got.status]).toEqual([form, 412]);
            expect(got.json).toMatchObject({ error: 'precondition_failed', error_code: 'REQ_004' });
            expect(got.headers.get('etag')).toBe(etag);
          }
        }
      }
    },
  );

  it('lets one of two concurrent changes through', async () => {
    const created = await create('p');
    const etag = created.headers.get('etag') ?? '';
    const got = await Promise.all(
      ['a', 'b'].map((description) =>
        service.send('PUT', `/v1/policies/${String(created.json.id)}`, {
          body: { description },
          headers: { 'if-match': etag },
        }),
      ),
    );
    expect(got.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('answers 304 without a body to who has the current version', async () => {
    const created = await create('p');
    const url = `/v1/policies/${String(created.json.id)}`;
    const etag = created.headers.get('etag') ?? '';
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const got = await service.send('GET', url, { headers: { 'if-none-match': known } });
      expect([got.status, got.text]).toEqual([304, '']);
    }
    expect((await service.send('GET', url, { headers: { 'if-none-match': '"0"' } })).status).toBe(
      200,
    );
  });
});

describe('a policy that is not there', () => {
  it('is a 404 POL_002 to read, change and delete', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const got = await service.send(
        method,
        '/v1/policies/pol_none',
        method === 'PUT' ? { body: {} } : {},
      );
      expect(got.status).toBe(404);
      expect(got.json).toMatchObject({ error: 'policy_not_found', error_code: 'POL_002' });
    }
  });

  it('is what a deleted one becomes, and its name is free again', async () => {
    const { id } = (await create('p')).json;
    const deleted = await service.send('DELETE', `/v1/policies/${String(id)}`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await service.send('GET', `/v1/policies/${String(id)}`)).status).toBe(404);
    expect((await create('p')).status).toBe(201);
  });

  it.each(['%E0%A4%A', '__proto__', '..%2F..', '%00', 'x'.repeat(3000)])(
    'has the id %s, too',
    async (id) => {
      expect((await service.send('GET', `/v1/policies/${id}`)).status).toBe(404);
    },
  );
});

describe('an apply from git', () => {
  const commit = 'a'.repeat(40);
  const from = (header: string) => ({ headers: { 'govctl-source': header } });
  const applied = { commit, branch: 'feature/ü', dirty: true };
  const header = `commit="${commit}", branch="feature%2F%C3%BC", dirty`;

  it('is recorded with the policy and in the audit log: commit, branch, who and when', async () => {
    const created = await service.send('POST', '/v1/policies', {
      body: policy('p'),
      ...from(header),
    });
    expect(created.json.applied).toEqual({
      ...applied,
      at: created.json.created_at,
      by: created.json.created_by,
    });
    const url = `/v1/policies/${String(created.json.id)}`;
    service.advance(1_000);
    const edited = await service.send('PUT', url, { body: { severity: 'LOW' } });
    expect(edited.json.applied).toEqual(created.json.applied);
    const other = `commit="${'b'.repeat(40)}"`;
    const updated = await service.send('PUT', url, { body: { severity: 'HIGH' }, ...from(other) });
    expect(updated.json.applied).toMatchObject({
      commit: 'b'.repeat(40),
      at: updated.json.updated_at,
    });
    expect(updated.json.applied).not.toHaveProperty('branch');
    await service.send('DELETE', url, from(header));
    const { json } = await service.send(
      'GET',
      `/v1/audit-log?subject=${String(created.json.id)}&order=asc`,
    );
    const entries = json.audit_log as { action: string; source?: unknown }[];
    expect(entries.map(({ action, source }) => [action, source])).toEqual([
      ['policy.create', applied],
      ['policy.update', undefined],
      ['policy.update', { commit: 'b'.repeat(40) }],
      ['policy.delete', applied],
    ]);
  });

  it('whose header cannot be read is refused, and changes nothing', async () => {
    const got = await service.send('POST', '/v1/policies', {
      body: policy('p'),
      ...from('commit="main"'),
    });
    expect([got.status, got.json.error]).toEqual([400, 'malformed_request']);
    expect(got.json.error_description).toContain('Govctl-Source');
    expect((await service.send('GET', '/v1/policies')).json.policies).toEqual([]);
  });

  it('cannot be claimed in a body', async () => {
    const { json } = await create('p');
    const url = `/v1/policies/${String(json.id)}`;
    const claimed = await service.send('PUT', url, { body: { severity: 'LOW', applied } });
    expect(claimed.json).not.toHaveProperty('applied');
  });
});
