import { setTimeout as pause } from 'node:timers/promises';
import { oneOf } from '../../support/pick.ts';
import type { Receiver } from '../webhook-receiver.ts';
import type { Client } from './client.ts';
import type { Json } from './history.ts';

/** Types of events that clients make up, or that their writes cause. */
const types = [
  'scan.failed',
  'user.login',
  'resource.changed',
  'policy.violation.created',
  'policy.violation.resolved',
] as const;

/** A webhook that lives as long as the world. */
export interface Hook {
  readonly name: string;
  readonly id: string;
  readonly types: readonly string[];
  /** The first event that it must have got, by its number. */
  readonly since: number;
  /** Events that it was asked to get again. */
  again: number;
}

const common = (receiver: Receiver, name: string, secret: string) => ({
  name,
  url: receiver.url(name),
  secret,
  timeout_seconds: 1,
});

/** Some that get one type each, and one that gets all. */
export async function createHooks(me: Client, receiver: Receiver): Promise<Hook[]> {
  const hooks: Hook[] = [];
  for (const wanted of [...types.map((type) => [type]), types]) {
    const name = me.name();
    const secret = `the secret of ${name}`;
    receiver.expect(name, secret);
    const body = { ...common(receiver, name, secret), events: wanted };
    const { json } = await me.write('webhooks.create', '', {
      body,
      about: { noun: 'webhooks', label: name, leaves: { name } },
    });
    const first = await me.write('events.trigger', '', { body: { type: wanted[0] } });
    hooks.push({
      name,
      id: String(json.id),
      types: wanted,
      since: Number(first.json.sequence),
      again: 0,
    });
  }
  return hooks;
}

/** Makes up events. */
export async function makeEvents(me: Client): Promise<void> {
  const type = oneOf(me.scene.pick, ['scan.failed', 'user.login']);
  await me.write('events.trigger', '', { body: { type } });
  await pause(me.scene.pick(40));
}

/** Has events delivered again, to one of the webhooks that stay. */
export async function askAgain(me: Client, hooks: readonly Hook[]): Promise<void> {
  const { pick } = me.scene;
  const hook = oneOf(pick, hooks);
  const { json } = await me.read(`/v1/webhooks/${hook.id}/deliveries?status=succeeded&limit=20`);
  const done = json.deliveries as readonly Json[];
  const one = done.length === 0 ? undefined : oneOf(pick, done);
  if (one) {
    // The latter is made in steps, see `inSteps`: each repeat may make one again.
    hook.again += 5;
    await me.write('webhooks.redeliver', `${hook.id} ${String(one.id)}`, { or: [409] });
    const body = { event_ids: [one.event_id], webhook_id: hook.id };
    await me.write('events.replay', '', { body, or: [404] });
  }
  await pause(100 + pick(300));
}

/** A webhook that is tried, paused and changed, gets another secret, and goes. */
export async function comeAndGo(me: Client, receiver: Receiver): Promise<void> {
  const { pick } = me.scene;
  const name = me.name();
  const about = (leaves: Json | null) => ({ noun: 'webhooks', label: name, leaves });
  const secret = `the secret of ${name}`;
  receiver.expect(name, secret);
  const body = { ...common(receiver, name, secret), events: ['user.login'] };
  const created = await me.write('webhooks.create', '', { body, about: about({ name }) });
  const id = String(created.json.id);
  await me.write('webhooks.test', id, { body: { event_type: 'scan.completed' } });
  receiver.expect(name, `another secret of ${name}`);
  const newSecret = { secret: `another secret of ${name}` };
  await me.write('webhooks.update', id, { body: newSecret, about: about({}) });
  for (const change of [{ active: false }, { active: true, tags: [`t${pick(1e6)}`] }]) {
    await me.write('webhooks.update', id, { body: change, about: about(change) });
    await pause(pick(100));
  }
  await me.write('webhooks.redeliverFailed', id, { body: {} });
  await me.write('webhooks.delete', id, { about: about(null) });
}
