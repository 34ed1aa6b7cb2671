import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of profiles and credentials: GOVCTL_CONFIG_DIR, else the platform's own place. */
export function configDir(env: NodeJS.ProcessEnv, platform = process.platform): string {
  if (env.GOVCTL_CONFIG_DIR) return env.GOVCTL_CONFIG_DIR;
  if (platform === 'win32' && env.APPDATA) return join(env.APPDATA, 'govctl');
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'govctl');
}
