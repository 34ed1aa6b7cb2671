// `node --import` of this makes each import of ours, of a package or of a built file, slower by so many milliseconds, once:
// a machine with a slow disk. NODE_OPTIONS hands it on to the children that tests start.
import { register } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const asHooks = import.meta.url.replace(/\?.*/, '') + '?hooks';
const milliseconds = Number(process.env.GOVCTL_SLOW_IMPORTS ?? 300);
const seen = new Set();

if (import.meta.url !== asHooks) register(asHooks);

/** vitest imports in the name of the file under test. */
const isOurs = (importer) =>
  importer !== undefined && !/\/node_modules\/(?!vite|vitest\/)/.test(importer);

export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  const { url } = resolved;
  if (url.startsWith('file:') && isOurs(context.parentURL) && !seen.has(url)) {
    seen.add(url);
    await sleep(milliseconds);
  }
  return resolved;
}
