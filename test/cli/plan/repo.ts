import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { MinimalService } from '../../support/minimal-service.ts';
import { createMinimalService } from '../../support/minimal-service.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import { runCommandLine } from '../../support/fake-world.ts';

/** A repo of policies in a folder of its own, and a service of its own. */
export interface TestRepo {
  readonly folder: string;
  readonly service: MinimalService;
  /** Writes a file below the folder. */
  write(file: string, text: string): void;
  remove(file: string): void;
  govctl(argv: readonly string[], settings?: FakeWorldSettings): Promise<Outcome>;
}

export function createRepo(config = 'project: acme\npaths: [policies]\n'): TestRepo {
  const folder = mkdtempSync(path.join(tmpdir(), 'govctl-plan-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const service = createMinimalService();
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };
  mkdirSync(path.join(folder, 'policies'));
  write('govctl.yaml', config);
  return {
    folder,
    service,
    write,
    remove: (file) => rmSync(path.join(folder, file)),
    govctl: (argv, settings = {}) =>
      runCommandLine(argv, {
        cwd: folder,
        fetch: service.fetch,
        columns: 80,
        ...settings,
        env: {
          GOVCTL_BASE_URL: 'https://service.test',
          GOVCTL_TOKEN: 'test',
          GOVCTL_KEYRING: 'off',
          GOVCTL_CONFIG_DIR: path.join(folder, '.config'),
          ...settings.env,
        },
      }),
  };
}

export const policyYaml = (name: string, fields = ''): string =>
  `name: ${name}\nresource_type: AWS::S3::Bucket\nrules:\n  - condition: resource.encryption.enabled == false\n    effect: DENY\n${fields}`;
