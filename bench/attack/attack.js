// What every attacker's process does: it sends requests that were made beforehand, so many at once, until it is told to
// stop. It takes as little of the machine as it can, as an attacker's own machine would do this.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @typedef {object} Shot one request, ready to be sent
 * @property {string} name under which its answers are counted
 * @property {string} path
 * @property {string} [method] default: GET
 * @property {Record<string, string>} [headers]
 * @property {Buffer} [body]
 */

export const headersOf = (key, type = 'application/json') => ({
  authorization: `Bearer ${key}`,
  'content-type': type,
});

/** What the process was asked for, as `startAttacker` of the bench gives it. */
export const asked = JSON.parse(process.argv[2]);

const agent = new Agent({ keepAlive: true });
// Where the server answers early and closes, what was still being sent has nobody else to tell.
const ignored = () => undefined;
/** Answers by the names of their requests and their status. */
const counts = {};

export function count(name, what) {
  const counted = (counts[name] ??= {});
  counted[what] = (counted[what] ?? 0) + 1;
}

/** Sends it, and reads its answer: the status, or why there was none. */
export function send({ method = 'GET', path, headers, body }, read = false) {
  return new Promise((resolve) => {
    const length = body ? { 'content-length': body.length } : {};
    const sent = request(
      {
        port: asked.port,
        host: '127.0.0.1',
        agent,
        method,
        path,
        headers: { ...headers, ...length },
      },
      (answer) => {
        const chunks = [];
        if (read) answer.on('data', (chunk) => chunks.push(chunk));
        else answer.resume();
        answer.on('end', () =>
          resolve({ status: answer.statusCode, text: Buffer.concat(chunks).toString() }),
        );
        answer.on('error', (error) => resolve({ status: error.code, text: '' }));
      },
    );
    // A server that refuses a body may answer and close before all of it was sent.
    sent.on('socket', (socket) => {
      if (!socket.listeners('error').includes(ignored)) socket.on('error', ignored);
    });
    sent.on('error', (error) => resolve({ status: error.code, text: '' }));
    sent.end(body);
  });
}

// Nobody is attacked by what is left of a bench that failed.
process.on('disconnect', () => process.exit());
let goesOn = true;
process.on('message', () => {
  goesOn = false;
  process.send(counts, () => process.exit());
});

/**
 * Sends again and again.
 * @param {(turn: number) => Shot | Promise<Shot>} shotOf
 * @param {{ atOnce: number, pause?: number }} how many are under way; milliseconds between an answer and the next
 */
export function again(shotOf, { atOnce, pause = 0 }) {
  let turn = 0;
  for (let lane = 0; lane < atOnce; lane++) {
    void (async () => {
      while (goesOn) {
        const shot = await shotOf(turn++);
        count(shot.name, (await send(shot)).status);
        // What is refused at once is not sent as fast as the machine can: that would measure the sender.
        await sleep(pause);
      }
    })();
  }
}
