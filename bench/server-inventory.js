import { benchKey, median, startGovctl } from './harness.js';
import { makePolicy } from './policies.js';

export const title = 'latency of a resource upsert as the inventory grows';

const policyCount = 200;
const large = 100_000;
const small = 1_000;

const headers = { authorization: `Bearer ${benchKey}`, 'content-type': 'application/json' };
const types = ['AWS::S3::Bucket', 'AWS::EC2::SecurityGroup', 'AWS::RDS::DBInstance'];

/** About 1 KB, of a type that a third of the policies is about; one of them fails it now and then. */
const makeResource = (n, round) => ({
  id: `arn:aws:bench:eu-west-1:123456789012:resource/${n}`,
  type: types[n % types.length],
  name: `resource-${n}`,
  account_id: String(100_000_000_000 + (n % 50)),
  region: ['eu-west-1', 'us-east-1', 'ap-south-1'][(n % 7) % 3],
  environment: n % 4 === 0 ? 'production' : 'staging',
  tags: { tier: 'web', team: `team-${n % 12}`, round: String(round) },
  encryption: { enabled: n % 1_000 !== 0 },
  logging: { target_bucket: 'central' },
  ingress: [{ cidr: '10.0.0.0/8', from_port: 443, to_port: 443 }],
  last_used_at: '2099-01-01T00:00:00Z',
  properties: { filler: 'x'.repeat(400) },
});

async function send(url, method, path, body, type) {
  const answer = await fetch(url + path, {
    method,
    headers: type ? { ...headers, 'content-type': type } : headers,
    ...(body === undefined ? {} : { body }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function importResources(url, from, to) {
  for (let at = from; at < to; at += 5_000) {
    const lines = Array.from({ length: Math.min(5_000, to - at) }, (_, n) =>
      JSON.stringify(makeResource(at + n, 0)),
    );
    await send(url, 'POST', '/v1/resources/import', lines.join('\n'), 'application/x-ndjson');
  }
}

/** Of the measured policies every fifth reads the time, and waits for its next hour. */
const waitingForTheHour = policyCount / 5;

/** Waits until the background has nothing to do. */
async function settle(url) {
  for (;;) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const left = /govctl_store_records\{collection="evaluation_work"\} (\d+)/.exec(metrics)?.[1];
    if (Number(left) <= waitingForTheHour) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Median of 500 upserts that each change a resource, one after another, after as many to warm up. */
async function latency(url, stored, round) {
  const times = [];
  for (let n = 0; n < 1_000; n++) {
    const resource = makeResource((n * 7_919) % stored, round);
    const path = `/v1/resources/${encodeURIComponent(resource.id)}`;
    const body = JSON.stringify(resource);
    const started = performance.now();
    await send(url, 'PUT', path, body);
    if (n >= 500) times.push(performance.now() - started);
  }
  return median(times);
}

/** Two servers in turn with the same policies: one holds 1,000 resources, the other 100,000. */
export async function measure({ port, rounds }) {
  const servers = [];
  for (const [at, stored] of [small, large].entries()) {
    const server = await startGovctl(port + at);
    await importResources(server.url, 0, stored);
    for (let n = 0; n < policyCount; n++) {
      await send(server.url, 'POST', '/v1/policies', JSON.stringify(makePolicy(n)));
    }
    await settle(server.url);
    servers.push({ ...server, stored, times: [] });
  }
  for (let round = 1; round <= Math.max(3, rounds); round++) {
    for (const server of servers) {
      server.times.push(await latency(server.url, server.stored, round));
    }
  }
  const [few, many] = servers;
  const peaks = [await few.stop(), await many.stop()];
  const ratios = many.times.map((time, at) => time / few.times[at]);
  const perResource = ((peaks[1] - peaks[0]) * 1024) / (large - small);
  return [
    {
      figure: `PUT of a resource, 100,000 stored, ${policyCount} policies`,
      peer: 'the same with 1,000 stored',
      ours: median(many.times),
      theirs: median(few.times),
      unit: 'ms',
      ratio: median(ratios),
      limit: { most: 1.5 },
      peak: peaks[1],
      note: `${perResource.toFixed(1)} KiB of memory for each resource of about 0.8 KB`,
    },
  ];
}
