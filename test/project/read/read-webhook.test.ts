import { describe, expect, it } from 'vitest';
import { loadProject } from '../../../src/project/read/load.ts';
import { makeRepo } from '../../support/temp-repo.ts';

const load = (files: Record<string, string>) =>
  loadProject({ cwd: makeRepo(files), paths: [], now: Date.UTC(2026, 0, 15) });

const hook = (fields: string): string =>
  `kind: Webhook\nevents: [scan.failed]\n${fields.includes('url:') ? '' : 'url: https://example.com/hook\n'}${fields.includes('secret:') ? '' : 'secret: ${HOOK_SECRET}\n'}${fields}`;

describe('reading a webhook', () => {
  it('makes its key of what it is called, else of where it goes', async () => {
    const { webhooks, problems } = await load({
      'a.yaml': hook('key: given\nname: Ops Alerts\n'),
      'b.yaml': hook('name: Ops Alerts\nurl: https://example.com/b\n'),
      'c.yaml': hook('url: https://example.com:8443/in/x?team=1\n'),
      'd.yaml': hook('url: https://example.com:8443/in/x?team=2\n'),
    });
    expect(problems).toEqual([]);
    const keys = webhooks.map(({ key }) => key);
    expect(keys.slice(0, 2)).toEqual(['given', 'ops-alerts']);
    expect(keys[2]).toMatch(/^example-com-8443-in-x-[0-9a-f]{8}$/);
    expect(keys[3]).toMatch(/^example-com-8443-in-x-[0-9a-f]{8}$/);
    expect(keys[2]).not.toBe(keys[3]);
  });

  it('remembers where it names variables, and not what they are', async () => {
    const { webhooks } = await load({
      'a.yaml': hook('headers:\n  Authorization: Bearer ${TOKEN}\n  X-Both: ${ONE}-${TWO}\n'),
    });
    expect(webhooks[0]?.references).toMatchObject([
      { variable: 'HOOK_SECRET', path: 'secret', line: 4, column: 9 },
      { variable: 'TOKEN', path: 'headers.Authorization', line: 6, column: 18 },
      { variable: 'ONE', path: 'headers.X-Both', line: 7 },
      { variable: 'TWO', path: 'headers.X-Both', line: 7 },
    ]);
  });

  it.each([
    [
      'two of one url',
      'duplicate-url',
      hook('url: https://EXAMPLE.com/hook\nkey: b\n'),
      'a.yaml:3',
    ],
    ['two of one key', 'duplicate-key', hook('url: https://example.com/b\nkey: a\n'), 'a.yaml:5'],
  ])('finds %s, and says where the other is', async (_, code, second, place) => {
    const { problems } = await load({ 'a.yaml': hook('key: a\n'), 'b.yaml': second });
    expect(problems).toMatchObject([
      { level: 'error', code, file: 'b.yaml', message: expect.stringContaining(place) },
    ]);
  });

  it('lets a policy and a webhook have one key', async () => {
    const policy = 'name: a\nresource_type: A::B\nrules: [{condition: "true", effect: DENY}]\n';
    const { problems } = await load({ 'a.yaml': policy, 'b.yaml': hook('name: a\n') });
    expect(problems.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it.each([
    ['a secret that is too short', 'secret: short\n', 'must have at least 8 characters'],
    ['a secret around a reference', 'secret: "x${HOOK}"\n', 'single reference such as'],
    [
      'a reference to nothing',
      'secret: "${hook-secret}"\n',
      'is not an environment variable reference',
    ],
    ['a reference without an end', 'headers: {X-A: "${HOOK"}\n', 'a ${ without a closing }'],
    [
      "govctl's own login",
      'headers: {X-A: "${GOVCTL_TOKEN}"}\n',
      "headers.X-A GOVCTL_TOKEN is govctl's own credential",
    ],
    [
      "govctl's own login in another case, which Windows does not tell apart",
      'headers: {X-A: "${Govctl_Token}"}\n',
      "headers.X-A Govctl_Token is govctl's own credential",
    ],
    [
      "the address of govctl's mail server, which holds its login",
      'headers: {X-A: "${GOVCTL_SMTP_URL}"}\n',
      "headers.X-A GOVCTL_SMTP_URL is govctl's own credential",
    ],
    [
      'a line break in a header',
      'headers: {X-A: "a\\r\\nX-B: c"}\n',
      'must not contain line breaks',
    ],
    ['a header of no name', 'headers: {"X A": b}\n', 'is not a valid header name'],
    ['a header that stands twice', 'headers: {X-A: b, x-a: c}\n', 'is duplicated'],
    ['an http address', 'url: http://example.com\n', 'must be an https:// URL'],
    ['a password in the url', 'url: https://a:b@example.com\n', 'user name or password'],
    ['an unknown event', 'events: [scan.faild]\n', 'scan.failed'],
    ['tags of govctl', 'tags: ["govctl.owner:x"]\n', 'which are reserved for govctl'],
  ])('refuses %s', async (_, fields, said) => {
    const text = fields.startsWith('events')
      ? hook('').replace(/events.*\n/, fields)
      : hook(fields);
    const { problems, webhooks } = await load({ 'a.yaml': text });
    expect(problems).toHaveLength(1);
    expect(`${problems[0]?.message} ${problems[0]?.hint}`).toContain(said);
    expect(problems[0]?.level).toBe('error');
    expect(webhooks).toEqual([]);
  });

  it('warns of a header that tells a secret, without telling it again', async () => {
    const { problems } = await load({ 'a.yaml': hook('headers: {X-Api-Key: hunter2hunter2}\n') });
    expect(problems).toMatchObject([{ level: 'warning', code: 'plain-secret', line: 5 }]);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  it.each([
    ['secret: written-out-here\n', 'secret: ${WEBHOOK_SECRET}'],
    ['headers: {Authorization: Bearer abcdefgh}\n', 'Authorization: Bearer ${TOKEN}'],
    ['headers: {authorization: Basic abcdefgh}\n', 'authorization: Basic ${TOKEN}'],
    ['headers: {X-Api-Key: abcdefgh}\n', 'X-Api-Key: ${API_KEY}'],
    ['headers: {Govctl-Token: abcdefgh}\n', 'Govctl-Token: ${TOKEN}'],
    ['headers: {X-2-Key: abcdefgh}\n', 'X-2-Key: ${TOKEN}'],
  ])('shows how %s would name it', async (fields, example) => {
    const { problems } = await load({ 'a.yaml': hook(fields) });
    expect(problems).toHaveLength(1);
    expect(problems[0]?.hint).toContain(`Use ${example} to read the value from the environment`);
  });
});
