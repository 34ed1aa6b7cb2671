import { deletePolicies, median, postPolicies, startGovctl } from './harness.js';

export const title = 'latency of a POST as the store grows';

/**
 * One request after another, 500 of them with 50,000 policies stored; then, in the same process so that both are
 * equally warmed up, with all but 500 deleted.
 */
export async function measure({ port }) {
  const server = await startGovctl(port);
  let next = 0;
  const latency = async () => {
    const times = [];
    for (let n = 0; n < 500; n++) {
      const started = performance.now();
      await postPolicies(server.url, next++, 1, 1);
      times.push(performance.now() - started);
    }
    return median(times);
  };
  await postPolicies(server.url, next, 50_000);
  next += 50_000;
  const large = await latency();
  await deletePolicies(server.url, 500);
  const small = await latency();
  const peak = await server.stop();
  return [
    {
      figure: 'POST latency, 50,000 stored',
      peer: 'the same with 500 to 1,000 stored',
      ours: large,
      theirs: small,
      unit: 'ms',
      ratio: large / small,
      limit: { most: 1.5 },
      peak,
    },
  ];
}
