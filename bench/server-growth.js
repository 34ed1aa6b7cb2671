import { median, postPolicies, startGovctl } from './harness.js';

export const title = 'latency of a POST as the store grows';

/** One request after another, 500 of them with 500 policies stored, then with 50,000. */
export async function measure({ port }) {
  const server = await startGovctl(port);
  let next = 0;
  const fill = async (count) => {
    await postPolicies(server.url, next, count);
    next += count;
  };
  const latency = async () => {
    const times = [];
    for (let n = 0; n < 500; n++) {
      const started = performance.now();
      await postPolicies(server.url, next++, 1, 1);
      times.push(performance.now() - started);
    }
    return median(times);
  };
  await fill(500);
  await latency(); // warm-up
  const small = await latency();
  await fill(50_000 - next);
  const large = await latency();
  const peak = await server.stop();
  return [
    {
      figure: 'POST latency, 50,000 stored',
      peer: 'the same with 500 to 1,500 stored',
      ours: large,
      theirs: small,
      unit: 'ms',
      ratio: large / small,
      limit: { most: 1.5 },
      peak,
    },
  ];
}
