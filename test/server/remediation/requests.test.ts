import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RemediationWithActions } from '../../../src/contract/remediations.ts';
import { systemClock } from '../../../src/server/deps.ts';
import { parseRanges } from '../../../src/server/http/address.ts';
import { createSender } from '../../../src/server/outbound/send.ts';
import type { Sender } from '../../../src/server/outbound/send.ts';
import { verifyWebhook } from '../../../src/webhook/webhook.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
let receiver: Server;
let sender: Sender;
let received: { readonly headers: IncomingHttpHeaders; readonly body: string }[];
let answer: (response: ServerResponse) => void;
let port: number;

beforeEach(async () => {
  received = [];
  answer = (response) => response.writeHead(202).end();
  receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      answer(response);
    });
  });
  await listen(0);
});
afterEach(async () => {
  await service.close();
  await sender.close();
  await hangUp();
});

async function listen(on: number): Promise<void> {
  await new Promise<void>((ready) => receiver.listen(on, '127.0.0.1', ready));
  port = (receiver.address() as AddressInfo).port;
}

async function hangUp(): Promise<void> {
  receiver.closeAllConnections();
  await new Promise((closed) => receiver.close(closed));
}

const path = '/v1/compliance/remediate';
const secret = 'a-secret-of-the-operator';
const plain = { versioning: { enabled: false } };

const read = async (id: string): Promise<RemediationWithActions> =>
  (await inventory.ok('GET', `${path}/${id}`)).json as RemediationWithActions;
const actionOf = async (id: string) => (await read(id)).actions[0];

/** A server whose only resource fails a policy that is remediated by a request to the receiver. */
async function start(
  given: { readonly webhooks?: object; readonly url?: string; readonly resolvesTo?: string } = {},
) {
  const { url = `http://127.0.0.1:${port}/fix?for=buckets`, resolvesTo = '10.0.0.1' } = given;
  const resolve = () => Promise.resolve([{ address: resolvesTo, family: 4 as const }]);
  sender = createSender({ rules: { local: true, allowed: parseRanges([]) }, resolve }, systemClock);
  const webhooks = { [`127.0.0.1:${port}`]: { secret }, ...given.webhooks };
  service = await startTestService({ config: { remediation: { webhooks } }, receive: sender.send });
  inventory = inventoryOf(service);
  await inventory.createPolicy('versioning', {
    rules: [{ condition: 'resource.versioning.enabled == false', effect: 'DENY' }],
    remediation_action: `webhook:${url}`,
  });
  await inventory.put('a', plain);
}

async function remediate(): Promise<string> {
  const body = { policy_id: 'versioning', dry_run: false };
  const { id } = (await inventory.ok('POST', path, { body })).json;
  await service.remediate();
  return String(id);
}

describe('a request of a remediation', () => {
  it('is signed as deliveries are, says what to do, and is unverified until the resource is seen again', async () => {
    await start();
    const id = await remediate();
    const [one] = received;
    if (!one) throw new Error('nothing was sent');
    const now = Date.parse('2026-03-01T12:00:00Z');
    const event = verifyWebhook({ ...one, secret, now });
    expect(event).toMatchObject({ id: `${id}:0001`, type: 'remediation.action' });
    expect(JSON.parse(one.body)).toMatchObject({
      data: { format_version: 1, remediation_id: id, action: 1, resource: { id: 'a', ...plain } },
    });
    expect(await actionOf(id)).toMatchObject({
      method: 'webhook',
      executor: `webhook:http://127.0.0.1:${port}/fix?for=buckets`,
      status: 'unverified',
      before_image: true,
      outcome: { http_status: 202 },
    });
    await inventory.put('a', { versioning: { enabled: true } });
    expect(await read(id)).toMatchObject({ status: 'completed' });
    expect(received).toHaveLength(1);
  });

  it.each([
    [500, {}],
    [404, {}],
    [302, { location: '/elsewhere' }],
  ])(
    'that is answered %i has failed, and is not sent again or elsewhere',
    async (status, headers) => {
      await start();
      answer = (response) => response.writeHead(status, headers).end('x'.repeat(1_000_000));
      const id = await remediate();
      service.advance(60_000);
      await service.remediate();
      expect(await actionOf(id)).toMatchObject({
        status: 'failed',
        why: `127.0.0.1:${port} returned ${status}`,
        outcome: { http_status: status },
      });
      expect(received).toHaveLength(1);
    },
  );

  it('that was sent, but not answered, is unverified, and never sent again', async () => {
    await start();
    answer = (response) => response.socket?.destroy();
    const id = await remediate();
    for (let minute = 0; minute < 5; minute += 1) {
      service.advance(60_000);
      await service.remediate();
    }
    expect(received).toHaveLength(1);
    expect(await actionOf(id)).toMatchObject({
      status: 'unverified',
      why: `the request to 127.0.0.1:${port} failed: connection closed before the response; the request is not sent again`,
    });
  });

  it('whose connection is refused is tried again a little later, and arrives once', async () => {
    await start();
    await hangUp();
    const id = await remediate();
    expect(await actionOf(id)).toMatchObject({
      status: 'planned',
      why: `the request to 127.0.0.1:${port} failed: connection refused`,
      unsent: 1,
    });
    await service.remediate();
    expect(await actionOf(id)).toMatchObject({ unsent: 1 });
    service.advance(1_000);
    await service.remediate();
    expect(await actionOf(id)).toMatchObject({ unsent: 2 });
    await listen(port);
    service.advance(2_000);
    await service.remediate();
    expect(received).toHaveLength(1);
    expect(received[0]?.headers['x-service-delivery-attempt']).toBe('3');
    const sent = await actionOf(id);
    expect(sent).toMatchObject({ status: 'unverified', unsent: 2 });
    expect(sent).not.toHaveProperty('why');
  });

  it('whose connection is refused four times has failed', async () => {
    await start();
    await hangUp();
    const id = await remediate();
    for (const pause of [1_000, 2_000, 4_000]) {
      expect(await actionOf(id)).toMatchObject({ status: 'planned' });
      service.advance(pause);
      await service.remediate();
    }
    expect(await read(id)).toMatchObject({
      status: 'failed',
      actions: [
        {
          status: 'failed',
          why: `the request to 127.0.0.1:${port} failed: connection refused`,
        },
      ],
    });
    await listen(port);
  });

  it('that waits to be tried again is not sent once its remediation is cancelled', async () => {
    await start();
    await hangUp();
    const id = await remediate();
    await inventory.ok('POST', `${path}/${id}/cancel`, { body: {} });
    await listen(port);
    service.advance(60_000);
    await service.remediate();
    expect(received).toEqual([]);
    expect(await read(id)).toMatchObject({ status: 'cancelled', counts: { cancelled: 1 } });
  });

  it('goes only to hosts that the configuration has a secret for, with their port', async () => {
    await start({ url: `http://localhost:${port}/fix` });
    const refused = await service.send('POST', path, { body: { policy_id: 'versioning' } });
    expect([refused.status, refused.json.error]).toEqual([409, 'remediator_not_configured']);
    expect(refused.json.error_description).toContain(
      `no secret for localhost:${port} in remediation.webhooks`,
    );
  });

  it('goes to no address of this network, though the configuration has a secret for its name', async () => {
    const webhooks = { 'fixes.example.com': { secret } };
    await start({ url: 'https://fixes.example.com/', webhooks });
    const id = await remediate();
    expect(await actionOf(id)).toMatchObject({
      status: 'planned',
      why: 'the request to fixes.example.com failed: the address is not allowed as a target',
    });
  });

  it('tells its secret and the path of its receiver to nobody', async () => {
    await start();
    await hangUp();
    const id = await remediate();
    await listen(port);
    const { events } = (await inventory.ok('GET', '/v1/events')).json;
    const told = JSON.stringify([service.logged, await read(id), events, received]);
    expect(told).not.toContain(secret);
    expect(JSON.stringify(service.logged)).not.toContain('/fix');
  });
});
