import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TempFolder {
  readonly path: string;
  remove(): Promise<void>;
}

export const tempFolder = async (): Promise<TempFolder> => {
  const path = await mkdtemp(join(tmpdir(), 'govctl-store-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
};
