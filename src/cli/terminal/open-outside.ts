import { spawn } from 'node:child_process';
import type { World } from '../context.ts';

/** The command of this platform that shows something with whatever is meant for it. */
function opener(platform: string, isAddress: boolean): readonly [command: string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') {
    // cmd would run what comes after the & of an address. The empty word is the title of a window, which `start` takes first.
    return isAddress ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['cmd', '/c', 'start', ''];
  }
  return ['xdg-open'];
}

/** What shows it runs on beside govctl, with the variables that it has from here. */
const withoutLogins = (env: World['env']): World['env'] =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(GOVCTL_|ACTIONS_ID_TOKEN_)/.test(name)),
  );

/**
 * Has the system show a file, or the page of an address.
 * @param cwd Windows looks for the command there first: a folder that nobody else writes to, such as no cloned repo is
 * @returns whether it was started; it goes on beside govctl
 */
export const openOutside = (
  { env }: Pick<World, 'env'>,
  what: string,
  cwd: string,
): Promise<boolean> =>
  new Promise((resolve) => {
    const [command, ...before] = opener(process.platform, /^https?:/.test(what));
    const child = spawn(command, [...before, what], {
      cwd,
      env: withoutLogins(env),
      stdio: 'ignore',
      detached: true,
    });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
