import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fakeNow, runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import type { TestService } from '../../server/test-service.ts';

export interface EvidenceCli {
  /** The working folder. */
  readonly folder: string;
  /** Runs a command as one who set GOVCTL_TOKEN. */
  run(argv: readonly string[], setup?: FakeWorldSettings): Promise<Outcome>;
  /** Logs in, and so pins the key of the service. */
  logIn(setup?: FakeWorldSettings, ...more: string[]): Promise<Outcome>;
  /** Runs a command with the profiles that logins made, and without any network. */
  offline(argv: readonly string[], setup?: FakeWorldSettings): Promise<Outcome>;
  /** Writes a file into the working folder. @returns its name */
  write(name: string, content: string | Uint8Array): string;
  remove(): void;
}

export const serviceUrl = 'http://service.test';

export function createEvidenceCli(service: TestService): EvidenceCli {
  const folder = mkdtempSync(path.join(tmpdir(), 'govctl-evidence-'));
  const own = { GOVCTL_CONFIG_DIR: path.join(folder, 'config'), NO_COLOR: '1' };
  const fetch: FakeWorldSettings['fetch'] = async (url, init) =>
    service.app.fetch(new Request(url, init), {});
  const asUser = (argv: readonly string[], { env, ...setup }: FakeWorldSettings) =>
    runCommandLine(argv, { cwd: folder, now: () => fakeNow, ...setup, env: { ...own, ...env } });
  return {
    folder,
    run: (argv, { env, ...setup } = {}) =>
      asUser(argv, {
        fetch,
        ...setup,
        env: { GOVCTL_BASE_URL: serviceUrl, GOVCTL_TOKEN: service.key, ...env },
      }),
    logIn: (setup = {}, ...more) =>
      asUser(['auth', 'login', '--base-url', serviceUrl, '--with-token', ...more], {
        fetch,
        stdin: service.key,
        ...setup,
      }),
    offline: (argv, setup = {}) => asUser(argv, setup),
    write: (name, content) => {
      writeFileSync(path.join(folder, name), content);
      return name;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
