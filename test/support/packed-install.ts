import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { makeTempFolder, projectRoot } from './built-cli.ts';

/** Packs the package and installs it into an empty directory, as a user would. @returns that directory */
export async function installPacked(): Promise<string> {
  const folder = makeTempFolder();
  const packed = await execa(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
    { cwd: projectRoot },
  );
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  const installed = path.join(folder, 'empty');
  mkdirSync(installed);
  writeFileSync(path.join(installed, 'package.json'), '{"private":true,"type":"module"}');
  await execa(
    'npm',
    ['install', '--omit=dev', '--no-audit', '--no-fund', path.join(folder, filename)],
    { cwd: installed },
  );
  return installed;
}
