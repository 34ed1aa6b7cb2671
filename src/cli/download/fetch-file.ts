import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';
import type { Client } from '../../client/client.ts';
import type { Context } from '../context.ts';
import { placeToWrite, writesFrom } from '../flags/place-to-write.ts';
import type { Downloaded } from './download.ts';
import { download } from './download.ts';
import { fetchPartOf } from './fetch-part.ts';
import { partFiles } from './part-files.ts';
import { progressBar } from './progress-bar.ts';
import { showSize } from './sizes.ts';

interface Fetched {
  /** Path of the API. */
  readonly from: string;
  /** As the user knows it, relative to the working folder. */
  readonly to: string;
  /** Lower-case hex of its SHA-256, where it is known before. */
  readonly hash?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Downloads a file and shows a progress bar. @throws GovctlError as `download`, and the server's own */
export function fetchFile(
  context: Context,
  client: Client,
  { from, to, hash, headers = {} }: Fetched,
): Promise<Downloaded> {
  const { signal } = context.world;
  const name = path.basename(to);
  const place = placeToWrite(writesFrom(context), to);
  return context.progress(`Downloading ${name}`, (update) =>
    download(
      {
        fetchPart: fetchPartOf(client, from, { signal, headers }),
        files: partFiles,
        random: Math.random,
        signal,
        sleep: (ms) => sleep(ms, undefined, { signal }).catch(() => undefined),
        onProgress: (have, total) =>
          update(
            total === undefined || total === 0
              ? `${name}: ${showSize(have)}`
              : `${progressBar(have / total)}  ${name}: ${showSize(have)} of ${showSize(total)}`,
          ),
      },
      place,
      hash,
    ),
  );
}
