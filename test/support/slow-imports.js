// NODE_OPTIONS='--import /…/test/support/slow-imports.js' makes each file that the tests import from packages, and each
// file of what they start in that environment, come later, once: as on a slow disk. GOVCTL_SLOW_IMPORTS says by how many
// milliseconds.
import { register } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const asHooks = `${import.meta.url.replace(/\?.*/, '')}?hooks`;
const milliseconds = Number(process.env.GOVCTL_SLOW_IMPORTS ?? 300);
const seen = new Set();

if (import.meta.url !== asHooks && hasFolder()) register(asHooks);

/** Node 20 hangs where the working folder is gone. */
function hasFolder() {
  try {
    return process.cwd() !== '';
  } catch {
    return false;
  }
}

/** vitest imports in the name of the file under test. */
const isOurs = (importer) =>
  importer !== undefined && !/\/node_modules\/(?!vite\/|vitest\/)/.test(importer);

export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  const { url } = resolved;
  if (url.startsWith('file:') && isOurs(context.parentURL) && !seen.has(url)) {
    seen.add(url);
    await sleep(milliseconds);
  }
  return resolved;
}
