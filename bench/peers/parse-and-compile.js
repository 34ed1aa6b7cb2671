// The least a validation must do: read the files, parse them with the yaml library, compile their conditions.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { Environment } from '@marcbachmann/cel-js';

const folder = process.argv[2];
const environment = new Environment()
  .registerVariable('resource', 'map')
  .registerVariable('now', 'google.protobuf.Timestamp');
let rules = 0;
for (const file of readdirSync(folder)) {
  const policy = parse(readFileSync(path.join(folder, file), 'utf8'));
  for (const rule of policy.rules) {
    if (!environment.parse(rule.condition).check().valid) throw new Error(file);
    rules++;
  }
}
console.log(rules);
