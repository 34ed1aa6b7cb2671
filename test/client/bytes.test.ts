import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { FetchInit } from '../../src/client/http.ts';
import { GovctlError } from '../../src/contract/errors.ts';
import { startReports, create, idOf } from '../server/reports/report-world.ts';

type Reply = Response | Error;

function clientFor(replies: Reply[]) {
  const sent: { url: string; init: FetchInit }[] = [];
  const client = createClient({
    baseUrl: 'https://service.test',
    token: async () => 'gk_secret',
    random: () => 0,
    sleep: async () => undefined,
    fetch: async (url, init) => {
      sent.push({ url, init });
      const reply = replies.shift();
      if (reply === undefined) throw new Error('the test has no more replies');
      if (reply instanceof Error) throw reply;
      return reply;
    },
  });
  return { client, sent };
}

const input = { params: { report_id: 'rpt_1', format: 'pdf' } };

const textOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

const file = (text: string, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(text, { status, headers: { 'content-length': String(text.length), ...headers } });

const cut = (text: string): Response => {
  const parts = [Buffer.from(text)];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = parts.shift();
      if (part) controller.enqueue(part);
      else controller.error(new Error('the connection was closed'));
    },
  });
  return new Response(body, { headers: { 'content-length': '1000' } });
};

const refused = () =>
  Object.assign(new TypeError('fetch failed'), {
    cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
  });

describe('a download by the client', () => {
  it('gives the bytes as they come, with the headers of the answer', async () => {
    const { client, sent } = clientFor([
      refused(),
      new Response('busy', { status: 503 }),
      file('the file', 200, { etag: '"a"', 'x-content-sha256': 'f00' }),
    ]);
    const answer = await client.reports.download(input);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('etag')).toBe('"a"');
    expect(answer.headers.get('x-content-sha256')).toBe('f00');
    expect(await textOf(answer.body)).toBe('the file');
    expect(sent).toHaveLength(3);
    expect(sent[2]).toMatchObject({
      url: 'https://service.test/v1/reports/rpt_1/download/pdf',
      init: {
        streamed: true,
        headers: {
          accept: '*/*',
          'accept-encoding': 'identity',
          authorization: 'Bearer gk_secret',
        },
      },
    });
  });

  it('asks for a part, and takes what the reader has already', async () => {
    const { client, sent } = clientFor([
      file('file', 206, { 'content-range': 'bytes 4-7/8' }),
      new Response(null, { status: 304 }),
    ]);
    const headers = { range: 'bytes=4-', 'if-range': '"a"' };
    const part = await client.reports.download(input, { headers });
    expect([part.status, await textOf(part.body)]).toEqual([206, 'file']);
    expect(sent[0]?.init.headers).toMatchObject(headers);
    const known = await client.reports.download(input, { headers: { 'if-none-match': '"a"' } });
    expect([known.status, await textOf(known.body)]).toEqual([304, '']);
  });

  it('says when it was cut off: by an error, or by its length', async () => {
    const short = file('half', 200, { 'content-length': '8' });
    const { client } = clientFor([cut('half'), short]);
    for (let at = 0; at < 2; at += 1) {
      const { body } = await client.reports.download(input);
      await expect(textOf(body)).rejects.toMatchObject({
        error: 'unreachable',
        message: 'The response to GET /v1/reports/rpt_1/download/pdf was truncated',
      });
    }
  });

  it('throws the errors of the service by their names', async () => {
    const wrong = { error: 'report_password_wrong', error_description: 'no' };
    const range = { error: 'malformed_request', error_description: 'none' };
    const { client } = clientFor([
      Response.json(wrong, { status: 403 }),
      Response.json(range, { status: 416 }),
      new Response(null, { status: 204 }),
    ]);
    const failed = async (): Promise<GovctlError> => {
      const thrown: unknown = await client.reports.download(input).catch((error: unknown) => error);
      if (thrown instanceof GovctlError) return thrown;
      throw new Error('it did not fail as it should');
    };
    expect(await failed()).toMatchObject({ error: 'report_password_wrong', status: 403 });
    expect(await failed()).toMatchObject({ error: 'malformed_request', status: 416 });
    expect((await failed()).error).toBe('bad_answer');
  });

  it('sends no token where a link needs none', async () => {
    const { client, sent } = clientFor([file('x')]);
    await client.reports.followLink({
      params: { report_id: 'rpt_1', link_id: 'lnk_1' },
      query: { expires: '1', signature: 'a' },
    });
    expect(sent[0]?.init.headers).not.toHaveProperty('authorization');
    expect(sent[0]?.url).toMatch(/\/file\?expires=1&signature=a$/);
  });

  it('carries a password of any script to the service, which knows it', async () => {
    const service = await startReports();
    const password = 'пароль 密码 é';
    const id = idOf(await create(service, { format_options: { security: { password } } }));
    await service.reportWork.idle();
    const client = createClient({
      baseUrl: 'http://service.test',
      token: async () => service.key,
      fetch: async (url, { streamed: _, ...init }) => service.app.fetch(new Request(url, init), {}),
    });
    const answer = await client.reports.download(
      { params: { report_id: id, format: 'pdf' } },
      { password },
    );
    expect(await textOf(answer.body)).toContain('First quarter');
    await service.close();
  });
});
