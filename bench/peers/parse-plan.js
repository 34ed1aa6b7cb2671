// The least a check of a plan must do: read the policies with the yaml library, and parse the plan.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

const [folder, plan] = process.argv.slice(2);
let rules = 0;
for (const file of readdirSync(folder)) {
  rules += parse(readFileSync(path.join(folder, file), 'utf8')).rules.length;
}
console.log(rules, JSON.parse(readFileSync(plan, 'utf8')).resource_changes.length);
