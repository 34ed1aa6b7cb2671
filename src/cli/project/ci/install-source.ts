import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { GovctlError } from '../../../contract/errors.ts';
import type { InstallSource } from './workflow-facts.ts';

const hint =
  'Use a packed archive in the repo, such as tools/govctl-1.0.0.tgz, or a git URL with a tag or commit, such as https://github.com/OWNER/NAME#v1.0.0.';

/** What a shell, YAML and git read as it is. No credentials, and no option of git. */
const gitUrl =
  /^(?:https:\/\/[\w.-]+(?::\d+)?|ssh:\/\/(?:\w+@)?[\w.-]+(?::\d+)?)\/[\w./~-]+$|^\w+@[\w.-]+:[\w./~-]+$/;
const gitRef = /^(?!-)[\w./-]+$/;
const archive = /^[\w./@+-]+\.tgz$/;

/**
 * Reads the value of --install-from.
 * @param folder that of the repo, in which an archive has to be
 * @throws GovctlError usage_error
 */
export function readInstallSource(text: string, folder: string): InstallSource {
  const [url = '', ref, ...more] = text.replace(/^git\+/, '').split('#');
  if (gitUrl.test(url)) {
    if (ref === undefined || more.length > 0 || !gitRef.test(ref)) {
      throw new GovctlError(
        'usage_error',
        `--install-from ${JSON.stringify(text)}: the git URL must end with # and a tag or commit`,
        { hint: `Use a URL such as ${url}#v1.0.0.` },
      );
    }
    return { kind: 'git', url, ref };
  }
  const file = path.resolve(folder, text);
  const below = path.relative(folder, file).split(path.sep).join('/');
  if (text.includes('://') || text.includes('#') || !archive.test(below)) {
    throw new GovctlError('usage_error', `--install-from ${JSON.stringify(text)}: must be an archive (.tgz) or a git URL`, { hint }); // prettier-ignore
  }
  if (below.startsWith('../')) {
    throw new GovctlError('usage_error', `--install-from ${JSON.stringify(text)}: the file is outside the repo ${folder}`, { hint }); // prettier-ignore
  }
  if (!existsSync(file) || !statSync(file).isFile()) {
    throw new GovctlError('usage_error', `--install-from ${JSON.stringify(text)}: no such file`, {
      hint: `Copy the archive to ${file}, for example with \`npm pack\` in a clone of govctl.`,
    });
  }
  return { kind: 'archive', path: below };
}
