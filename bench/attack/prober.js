// Requests each of the given addresses in turn at a fixed rate, without waiting for earlier answers, and reports the
// milliseconds that each answer took.
import { Agent, get } from 'node:http';

const { targets, probes, every } = JSON.parse(process.argv[2]);
const kept = new Agent({ keepAlive: true });

function probe({ urls, headers, keep }, at) {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const options = { headers, agent: keep ? kept : false };
    const sent = get(urls[at % urls.length], options, (answer) => {
      answer.resume();
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - started);
        else reject(new Error(`${urls[at % urls.length]} answered ${answer.statusCode}`));
      });
      answer.on('error', reject);
    });
    sent.on('error', reject);
  });
}

const times = Object.fromEntries(Object.keys(targets).map((name) => [name, []]));
const failures = {};
const under = [];
const names = Object.keys(targets);
const begun = performance.now();
for (let at = 0; at < probes * names.length; at++) {
  const wait = begun + (at * every) / names.length - performance.now();
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  const name = names[at % names.length];
  under.push(
    probe(targets[name], Math.floor(at / names.length)).then(
      (ms) => void times[name].push(ms),
      (error) => {
        failures[`${name}: ${error.message}`] = (failures[`${name}: ${error.message}`] ?? 0) + 1;
        times[name].push(Infinity);
      },
    ),
  );
}
await Promise.all(under);
process.send({ times, failures }, () => process.exit());
