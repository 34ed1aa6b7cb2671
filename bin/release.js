// `npm run release -- 1.2.0`: makes a release of the commit that is checked out, in the directory release/, with a commit and a
// tag. Pushing and uploading are left to you.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { datedChangelog, releasedManifest, webAddress } from './release-files.js';

const [version, ...rest] = process.argv.slice(2);
const out = 'release';
const changed = ['package.json', 'package-lock.json', 'CHANGELOG.md'];

function fail(message) {
  console.error(`error: ${message}`);
  process.exit(1);
}

const run = (command, args) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

const write = (file, value) =>
  writeFileSync(file, typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`);

if (rest.length > 0 || !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? '')) {
  console.error('usage: npm run release -- VERSION, such as 1.2.0 or 1.2.0-rc.1');
  process.exit(3);
}
if (run('git', ['status', '--porcelain']) !== '') fail('uncommitted changes; commit or stash them');
if (run('git', ['tag', '--list', `v${version}`]) !== '') fail(`the tag v${version} exists`);
const remotes = run('git', ['remote']).split('\n');
if (!remotes.includes('origin')) fail('no git remote "origin"; package.json names its address');
const address = webAddress(run('git', ['remote', 'get-url', 'origin']));
if (address === undefined) fail('the git remote "origin" is not a web address');
const today = new Date().toISOString().slice(0, 10);
const changelog = datedChangelog(readFileSync('CHANGELOG.md', 'utf8'), version, today);
if (changelog === undefined) fail(`CHANGELOG.md has no "## ${version} (unreleased)"`);

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const manifest = releasedManifest(readJson('package.json'), version, address);
const lock = readJson('package-lock.json');
lock.version = version;
lock.packages[''].version = version;
// A release that cannot be made leaves the files as they were.
process.once('exit', (code) => {
  if (code !== 0) run('git', ['checkout', '--quiet', 'HEAD', '--', ...changed]);
});
write('package.json', manifest);
write('package-lock.json', lock);
write('CHANGELOG.md', changelog);

rmSync(out, { recursive: true, force: true });
mkdirSync(out);
console.log('Packing ...');
run('npm', ['pack', '--silent', '--pack-destination', out]);
console.log('Listing what the package consists of ...');
write(path.join(out, `${manifest.name}-${version}.cdx.json`), `${run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'])}\n`); // prettier-ignore
const sums = readdirSync(out)
  .toSorted()
  .map((file) => `${createHash('sha256').update(readFileSync(path.join(out, file))).digest('hex')}  ${file}\n`); // prettier-ignore
write(path.join(out, 'SHA256SUMS'), sums.join(''));

run('git', ['add', ...changed]);
run('git', ['commit', '--quiet', '--message', `Release ${version}`]);
run('git', ['tag', '--annotate', `v${version}`, '--message', `${manifest.name} ${version}`]);
console.log(`Committed and tagged v${version}. In ${out}/:
${readdirSync(out)
  .map((file) => `  ${file}`)
  .join('\n')}

The licenses of what is bundled are in the archive: dist/licenses.txt.
Next: git push origin HEAD v${version}, and upload the files.`);
