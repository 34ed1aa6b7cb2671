// A receiver of webhooks: reads each body and answers 200, or never where the path begins with /hang. GET / answers how
// many came, and how long each of those with an X-Sent-At header was on its way.
import { createServer } from 'node:http';

let received = 0;
let waits = [];
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ received, waits }));
    return;
  }
  if (request.method === 'DELETE') {
    [received, waits] = [0, []];
    response.end();
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    if (request.url.startsWith('/hang')) return;
    received++;
    if (request.url.startsWith('/timed')) {
      const { created } = JSON.parse(Buffer.concat(chunks));
      waits.push(Date.now() - Date.parse(created));
    }
    response.end('ok');
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2]), '127.0.0.1');
