import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { benchKey, peer, postPolicies, startGovctl, startServer, tempFolder } from './harness.js';
import { compareLoad } from './load.js';
import { makePolicy } from './policies.js';

export const title = 'server, 64 connections';

/** Against bare Hono routes with the same bytes; writes also against json-server and lowdb as it ships, each at 10,000 records. */
export async function measure({ rounds, port }) {
  const folder = tempFolder();
  const file = (name, text) => (
    writeFileSync(path.join(folder, name), text),
    path.join(folder, name)
  );
  const server = await startGovctl(port);
  await postPolicies(server.url, 0, 10_000);
  const read = async (pathname) =>
    (
      await fetch(server.url + pathname, { headers: { authorization: `Bearer ${benchKey}` } })
    ).text();
  const list = await read('/v1/policies');
  const id = JSON.parse(list).policies[0].id;
  const one = await read(`/v1/policies/${id}`);

  const bareUrl = `http://127.0.0.1:${port + 1}`;
  const bare = await startServer(
    [peer('bare-hono.js'), String(port + 1), file('one.json', one), file('list.json', list)],
    `${bareUrl}/healthz`,
  );
  const against = (pathname, options) =>
    compareLoad(
      { url: server.url, path: pathname },
      { url: bareUrl, path: pathname },
      { rounds, ...options },
    );
  const row = (figure, peerName, result, least) => ({
    figure,
    peer: peerName,
    ours: result.ours,
    theirs: result.theirs,
    unit: 'req/s',
    ratio: result.ratio,
    limit: { least },
    note: result.note,
  });
  const rows = [
    row('GET one policy', 'bare Hono, same bytes', await against(`/v1/policies/${id}`), 0.6),
    row('GET list of 20', 'bare Hono, same bytes', await against('/v1/policies'), 0.6),
    row(
      'POST, durable',
      'bare Hono: parse, answer',
      await against('/v1/policies', { method: 'POST' }),
      0.25,
    ),
  ];
  await bare.stop();

  const records = Array.from({ length: 10_000 }, (_, n) => ({ id: `pol_${n}`, ...makePolicy(n) }));
  const slowPeers = [
    ['json-server 0.17, 10,000 records', 'json-server.js', 100],
    ['lowdb JSONFile as it ships, 10,000 records', 'stock-lowdb.js', 20],
  ];
  for (const [name, script, least] of slowPeers) {
    const url = `http://127.0.0.1:${port + 2}`;
    const data = file(`${script}.json`, JSON.stringify({ policies: records }));
    const other = await startServer([peer(script), String(port + 2), data], `${url}/healthz`);
    const result = await compareLoad(
      { url: server.url, path: '/v1/policies' },
      { url, path: '/v1/policies' },
      { method: 'POST', rounds },
    );
    rows.push(row('POST, durable, 10,000 stored', name, result, least));
    await other.stop();
  }
  const peak = await server.stop();
  return rows.map((each) => ({ ...each, peak }));
}
