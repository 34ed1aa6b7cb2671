// Bare Hono routes: answer given bytes, or parse a body and answer it. No store, no checks.
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const [port, oneFile, listFile] = process.argv.slice(2);
const one = readFileSync(oneFile, 'utf8');
const list = readFileSync(listFile, 'utf8');
const json = { 'content-type': 'application/json' };
const app = new Hono();
app.get('/healthz', (context) => context.text('ok'));
app.get('/v1/policies', (context) => context.body(list, 200, json));
app.get('/v1/policies/:id', (context) => context.body(one, 200, json));
app.post('/v1/policies', async (context) => context.json(await context.req.json(), 201));
serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' });
