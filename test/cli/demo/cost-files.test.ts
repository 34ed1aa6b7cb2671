import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { makeRepo } from '../../support/temp-repo.ts';

const folder = path.resolve('policies-example/cost');

it("the demo's files of cost are what their script makes", () => {
  const made = makeRepo({});
  execFileSync(process.execPath, [path.join(folder, 'make.js'), made]);
  for (const file of ['focus.csv', 'utilization.ndjson']) {
    const [is, was] = [made, folder].map((where) => readFileSync(path.join(where, file), 'utf8'));
    expect(is === was, `${file}: run node policies-example/cost/make.js`).toBe(true);
  }
});
