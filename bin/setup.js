// Makes a fresh clone runnable: installs when node_modules is not what the lock says, builds when dist is older
// than the sources. Uses nothing that has to be installed first.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => path.join(root, ...parts);
const mtime = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0);

/** npm leaves a copy of the lock in node_modules; what is optional may be missing from it. */
function isInstalled() {
  const installed = at('node_modules', '.package-lock.json');
  if (!existsSync(installed)) return false;
  const read = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;
  const here = read(installed);
  return Object.entries(read(at('package-lock.json'))).every(
    ([name, wanted]) =>
      name === '' || here[name]?.version === wanted.version || (wanted.optional && !here[name]),
  );
}

function isBuilt() {
  const newest = (dir) =>
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce(
        (latest, entry) => Math.max(latest, mtime(path.join(entry.parentPath, entry.name))),
        0,
      );
  const sources = Math.max(newest(at('src')), newest(at('.config')), mtime(at('package.json')));
  return Math.min(mtime(at('dist', 'main.js')), mtime(at('dist', 'client.d.ts'))) >= sources;
}

function npm(what, args) {
  const started = Date.now();
  process.stderr.write(`${what} ...`);
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    process.stderr.write(` failed\n${stdout}${stderr}\n`);
    process.exit(1);
  }
  process.stderr.write(` done in ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}

export function install() {
  if (!isInstalled()) npm('Installing what govctl needs (npm ci)', ['ci']);
}

export function setup() {
  install();
  if (!isBuilt()) npm('Building', ['run', 'build', '--silent']);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) setup();
