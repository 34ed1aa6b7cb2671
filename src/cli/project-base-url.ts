import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** `base_url` of the working folder's govctl.yaml, for commands that need no more of the project. */
export async function projectBaseUrl(cwd: string): Promise<string | undefined> {
  const text = await readFile(join(cwd, 'govctl.yaml'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { parse } = await import('yaml');
  const config: unknown = parse(text);
  return typeof config === 'object' && config !== null && 'base_url' in config
    ? String(config.base_url)
    : undefined;
}
