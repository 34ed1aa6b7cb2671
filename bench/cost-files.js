// Files of made-up charges, and their import by a server.
import { createWriteStream, openAsBlob } from 'node:fs';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { columns, focusRows } from './focus-rows.js';
import { benchKey } from './harness.js';

const headers = { authorization: `Bearer ${benchKey}` };

export async function send(url, method, path, body, type = 'application/json') {
  const answer = await fetch(url + path, {
    method,
    headers: body === undefined ? headers : { ...headers, 'content-type': type },
    ...(body === undefined ? {} : { body }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Rows from one up to another of a month, as CSV in gzip. */
export async function writeFocusFile(file, part) {
  const gzip = createGzip({ level: 6 });
  const out = createWriteStream(file);
  gzip.pipe(out);
  let text = `${columns.join(',')}\n`;
  for (const line of focusRows(part)) {
    text += line;
    if (text.length < 1 << 20) continue;
    if (!gzip.write(text)) await new Promise((resolve) => gzip.once('drain', resolve));
    text = '';
  }
  gzip.end(text);
  await finished(out);
}

/** Imports files and waits until that has ended. @returns its result */
export async function importCost(url, files) {
  const { id } = await send(url, 'POST', '/v1/cost/imports', '{}');
  for (const [n, file] of files.entries()) {
    const body = await openAsBlob(file);
    const part = `/v1/cost/imports/${id}/files/${n + 1}`;
    await send(url, 'PUT', part, body, 'application/octet-stream');
  }
  await send(url, 'POST', `/v1/cost/imports/${id}/commit`);
  for (;;) {
    const { status, failure, result } = await send(url, 'GET', `/v1/cost/imports/${id}`);
    if (status === 'failed') throw new Error(JSON.stringify(failure));
    if (status === 'completed') return result;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
