// The least a check of an NDJSON inventory must do: read it in chunks, JSON.parse each line, run closures written by hand.
import { createReadStream } from 'node:fs';
import { makeClosure } from '../inventory.js';

const [file, count] = process.argv.slice(2);
const policies = Array.from({ length: Number(count) }, (_, n) => makeClosure(n));
const now = Date.now();
let resources = 0;
let failed = 0;
const check = (line) => {
  const resource = JSON.parse(line);
  resources++;
  for (const isDenied of policies) if (isDenied(resource, now)) failed++;
};
let carry = '';
for await (const chunk of createReadStream(file, {
  encoding: 'utf8',
  highWaterMark: 256 * 1024,
})) {
  const text = carry + chunk;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    check(text.slice(start, end));
    start = end + 1;
  }
  carry = text.slice(start);
}
if (carry !== '') check(carry);
console.log(JSON.stringify({ resources, failed }));
