import { createHash } from 'node:crypto';
import { parseDuration } from '../../contract/duration.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Retention } from '../config/retention.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Handlers } from '../http/call.ts';
import { fileAnswer } from '../http/file-answer.ts';
import { toJson } from '../json.ts';
import type { Archivable } from './archivable.ts';
import { readArchive } from './read-page.ts';

/** Records of this moment may still come. */
const settled = 1_000;

export const archiveHandlers = (
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  archivables: ReadonlyMap<string, Archivable>,
  retention: Retention,
): Handlers['archive'] => {
  const named = (name: string): Archivable => {
    const found = archivables.get(name);
    if (found) return found;
    throw new GovctlError('not_found', `Unknown collection ${name}`, {
      hint: `Use one of ${[...archivables.keys()].join(', ')}.`,
    });
  };
  return {
    get: ({ query }) => {
      const now = clock.now();
      const within = parseDuration(query.within) ?? 0;
      const collections = [...archivables.values()].map(({ spec, keptMs, early }) => {
        const due = early ? now : now + within - keptMs(retention);
        return { name: spec.name, until: timestamp(Math.max(0, Math.min(due, now - settled))) };
      });
      return { body: toJson({ at: timestamp(now), collections }) };
    },

    read: async ({ params, query: { since, until, after, limit } }) => ({
      body: toJson(
        await readArchive(store, named(params.collection), {
          since: since === undefined ? 0 : Date.parse(since),
          until: Date.parse(until),
          after,
          limit,
        }),
      ),
    }),

    file: async ({ params }, call) => {
      const { spec, filesOf } = named(params.collection);
      const doc = (await store.get(spec, params.id))?.doc;
      const file = doc && filesOf(doc).find(({ blob }) => blob === params.blob);
      const { size } = file ?? {};
      if (!file || size === undefined) {
        throw new GovctlError('not_found', `${params.id.slice(0, 100)} no longer has this file`);
      }
      const sha256 = file.sha256 ?? (await hashOf(file.blob));
      const answered = { blob: file.blob, size, sha256, filename: file.blob, mediaType: 'application/octet-stream' }; // prettier-ignore
      return fileAnswer(store.blobs, answered, call).answer;
    },
  };

  /** Of a detached signature, which is short. */
  async function hashOf(blob: string): Promise<string> {
    const digest = createHash('sha256');
    for await (const chunk of store.blobs.read(blob)) digest.update(chunk);
    return digest.digest('hex');
  }
};
