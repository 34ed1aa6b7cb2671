// Opens the given number of requests and never completes them; reopens each one that is closed.
import { connect } from 'node:net';
import { asked, count } from './attack.js';

const beginnings = [
  ['half a head', 'GET /v1/policies HTTP/1.1\r\nHost: here\r\nX-Half: '],
  ['nothing', ''],
  [
    'half a body',
    'POST /v1/policies/validate HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"resources":[',
  ],
  [
    'half a body, with a token',
    `POST /v1/policies/validate HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${asked.readOnly}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"resources":[`,
  ],
];

function begin(at) {
  const [name, beginning] = beginnings[at % beginnings.length];
  const socket = connect(asked.port, '127.0.0.1', () => {
    count(name, 'begun');
    socket.write(beginning);
  });
  // Sends a byte now and then, so that the connection does not become idle.
  const drip = setInterval(() => socket.write(beginning ? 'x' : ''), 2_000);
  socket.on('error', () => undefined);
  socket.on('data', () => undefined);
  socket.on('close', () => {
    clearInterval(drip);
    count(name, 'closed');
    setTimeout(begin, 500, at);
  });
}

for (let at = 0; at < asked.connections; at++) setTimeout(begin, at, at);
