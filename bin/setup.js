// Makes a fresh clone runnable: installs when node_modules is missing or older than the lock, builds when
// dist is older than the sources. Uses nothing that has to be installed first.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => path.join(root, ...parts);
const mtime = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0);

function newest(dir) {
  let latest = 0;
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) latest = Math.max(latest, mtime(path.join(entry.parentPath, entry.name)));
  }
  return latest;
}

function npm(what, args) {
  const started = Date.now();
  process.stderr.write(`${what} ...`);
  try {
    execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    process.stderr.write(` failed\n${error.stdout ?? ''}${error.stderr ?? ''}\n`);
    process.exit(1);
  }
  process.stderr.write(` done in ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}

export function setup() {
  if (mtime(at('node_modules', '.package-lock.json')) < mtime(at('package-lock.json'))) {
    npm('Installing what govctl needs (npm ci)', ['ci', '--no-audit', '--no-fund']);
  }
  const sources = Math.max(newest(at('src')), newest(at('.config')), mtime(at('package.json')));
  if (Math.min(mtime(at('dist', 'main.js')), mtime(at('dist', 'client.d.ts'))) < sources) {
    npm('Building', ['run', 'build', '--silent']);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) setup();
