// The least a plan must do: start, parse the YAML, fetch every page with undici.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { request } from 'undici';

const [folder, baseUrl, key] = process.argv.slice(2);
const local = readdirSync(folder).map((file) =>
  parse(readFileSync(path.join(folder, file), 'utf8')),
);
const live = [];
for (let offset = 0; ; offset += 100) {
  const { body } = await request(`${baseUrl}/v1/policies?limit=100&offset=${offset}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const page = await body.json();
  live.push(...page.policies);
  if (!page.pagination.has_more) break;
}
console.log(local.length, live.length);
