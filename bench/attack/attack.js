// Shared by all attacker processes: sends prepared requests, a fixed number at a time, until it is told to stop. It uses
// as little CPU as it can, because a real attacker would run on a machine of their own.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @typedef {object} Shot a request that is ready to send
 * @property {string} name the name under which its answers are counted
 * @property {string} path
 * @property {string} [method] default: GET
 * @property {Record<string, string>} [headers]
 * @property {Buffer} [body]
 */

export const headersOf = (key, type = 'application/json') => ({
  authorization: `Bearer ${key}`,
  'content-type': type,
});

/** The options of this process, from `startAttacker` of the bench. */
export const asked = JSON.parse(process.argv[2]);

const agent = new Agent({ keepAlive: true });
// If the server answers early and closes, the socket's write error has no other listener.
const ignored = () => undefined;
/** Number of answers by request name and status. */
const counts = {};

export function count(name, what) {
  const counted = (counts[name] ??= {});
  counted[what] = (counted[what] ?? 0) + 1;
}

/** Sends a request. @returns the status, or the error code if there was no answer */
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
    // A server that refuses a body can answer and close before the whole body was sent.
    sent.on('socket', (socket) => {
      if (!socket.listeners('error').includes(ignored)) socket.on('error', ignored);
    });
    sent.on('error', (error) => resolve({ status: error.code, text: '' }));
    sent.end(body);
  });
}

// Exit with the bench, so that a failed bench leaves no attackers running.
process.on('disconnect', () => process.exit());
let goesOn = true;
process.on('message', () => {
  goesOn = false;
  process.send(counts, () => process.exit());
});

/**
 * Sends requests in a loop.
 * @param {(turn: number) => Shot | Promise<Shot>} shotOf
 * @param {{ atOnce: number, pause?: number }} number of requests in flight; milliseconds between an answer and the next request
 */
export function again(shotOf, { atOnce, pause = 0 }) {
  let turn = 0;
  for (let lane = 0; lane < atOnce; lane++) {
    void (async () => {
      while (goesOn) {
        const shot = await shotOf(turn++);
        count(shot.name, (await send(shot)).status);
        // Without a pause, requests that are refused immediately would measure the sender.
        await sleep(pause);
      }
    })();
  }
}
