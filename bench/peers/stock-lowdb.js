// The embedded store as lowdb ships it: one JSON file, rewritten whole at every write, behind a Hono route.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { JSONFilePreset } from 'lowdb/node';

const [port, file] = process.argv.slice(2);
const db = await JSONFilePreset(file, { policies: [] });
const app = new Hono();
app.get('/healthz', (context) => context.text('ok'));
app.post('/v1/policies', async (context) => {
  const policy = await context.req.json();
  policy.id = `pol_${db.data.policies.length}`;
  await db.update(({ policies }) => policies.push(policy));
  return context.json(policy, 201);
});
serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' });
