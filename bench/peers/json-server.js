// json-server 0.17 on a file of policies.
import jsonServer from 'json-server';

const [port, file] = process.argv.slice(2);
const server = jsonServer.create();
server.get('/healthz', (_request, response) => response.send('ok'));
server.use(jsonServer.bodyParser);
server.use('/v1', jsonServer.router(file));
server.listen(Number(port), '127.0.0.1');
