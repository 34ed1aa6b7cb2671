import type { BundleListQuery, ManualListQuery } from '../../contract/evidence.ts';
import { GovctlError } from '../../contract/errors.ts';
import { frameworkKey, splitLabel } from '../../engine/labels.ts';
import { chooseControls } from '../compliance/service.ts';
import type { Deps } from '../deps.ts';
import { fileAnswer } from '../http/file-answer.ts';
import type { Handlers } from '../http/call.ts';
import { createCallerTurns } from '../http/caller-turns.ts';
import { anyOf, listPage } from '../http/paging.ts';
import type { Filters } from '../http/paging.ts';
import { toJson } from '../json.ts';
import type { FindStatementKey } from '../keys/statement-key.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { Reader } from '../store/store.ts';
import { bundles, filesOf, keyOfControl, manualEvidence } from './collection.ts';
import type { StoredBundle, StoredFile, StoredManual } from './collection.ts';
import { describeFile } from './describe.ts';
import { listItems } from './items.ts';
import {
  attachEvidence,
  checkManual,
  createBundle,
  deleteBundle,
  deleteManual,
  invalid,
  readBundle,
  readManual,
} from './service.ts';
import type { EvidenceWork } from './work.ts';

export interface EvidenceHandlerOptions {
  readonly work: EvidenceWork;
  readonly statementKey: FindStatementKey;
  readonly baseUrl: () => string;
  /** Only this machine can reach the server. */
  readonly isLocal: boolean;
}

export function evidenceHandlers(
  deps: Deps,
  { work, statementKey, baseUrl, isLocal }: EvidenceHandlerOptions,
): Handlers['evidence'] {
  const { store } = deps;
  // Each list counts the outcomes of very many policies.
  const inTurn = createCallerTurns();

  return {
    list: ({ query }, call) =>
      inTurn(call, async () => ({ body: toJson(await listItems(deps, call.signal, query)) })),

    collect: async ({ body }, call) => {
      const place = { base_url: baseUrl(), local: isLocal };
      return call.transact(async (tx) => {
        const { doc, revision } = await createBundle(deps, tx, call.actor, place, body);
        const headers = { Location: `/v1/compliance/evidence/${doc.id}` };
        return { body: toJson(showBundle(doc)), revision, headers };
      });
    },

    bundles: async ({ query }) =>
      listPage(store, bundles, {
        query,
        filters: await bundleFilters(store, query),
        plural: 'bundles',
        show: ({ doc }) => toJson(showBundle(doc)),
      }),

    key: async () => {
      const { id, publicKey } = await statementKey();
      return { body: toJson({ key: { id, public_key: publicKey } }) };
    },

    listManual: async ({ query }) =>
      listPage(store, manualEvidence, {
        query,
        filters: await manualFilters(store, query),
        plural: 'manual',
        show: ({ doc }) => toJson(showManual(doc)),
      }),

    attach: async ({ body }, call) => {
      const about = await checkManual(deps, body);
      const { text, file } = body;
      const id = deps.ids.next('evm');
      // Where the request was answered already, nothing is stored again.
      const isNew = file !== undefined && !(await call.isRepeated());
      const stored = isNew ? await work.storeAttached(id, decode(file.content)) : undefined;
      let isKept = false;
      try {
        return await call.transact(async (tx) => {
          const { doc, revision } = await attachEvidence(deps, tx, call.actor, {
            id,
            ...about,
            ...(text === undefined ? {} : { text }),
            ...(file && stored
              ? { file: { ...stored, name: file.name, media_type: file.media_type } }
              : {}),
          });
          isKept = true;
          const headers = { Location: `/v1/compliance/evidence/manual/${id}` };
          return { body: toJson(showManual(doc)), status: 201, revision, headers };
        });
      } catch (error) {
        // Whether it lasted is not known: the next start looks.
        isKept = error instanceof StoreUnavailable;
        throw error;
      } finally {
        if (stored) await work.settle(stored, isKept);
      }
    },

    getManual: async ({ params }) => {
      const { doc, revision } = await readManual(store, params.id);
      return { body: toJson(showManual(doc)), revision };
    },

    manualFile: async ({ params }, call) => {
      const { doc } = await readManual(store, params.id);
      if (!doc.file) {
        const said = `Attached evidence ${doc.id} is text and has no file`;
        throw new GovctlError('evidence_not_found', said);
      }
      const { name: filename, media_type: mediaType, ...file } = doc.file;
      return fileAnswer(store.blobs, { ...file, filename, mediaType }, call).answer;
    },

    deleteManual: async ({ params }, call) => {
      const gone = await store.transact(
        (tx) => deleteManual(deps, tx, call, params.id),
        call.principal.countedAs,
      );
      if (gone.file) await work.settle(gone.file, false);
      return { body: undefined };
    },

    get: async ({ params }) => {
      const { doc, revision } = await readBundle(store, params.id);
      return { body: toJson(showBundle(doc)), revision };
    },

    delete: async ({ params }, call) => {
      const gone = await store.transact(
        (tx) => deleteBundle(deps, tx, call, params.id),
        call.principal.countedAs,
      );
      for (const file of filesOf(gone)) await work.settle(file, false);
      return { body: undefined };
    },

    bundle: async ({ params }, call) => {
      const { doc } = await readBundle(store, params.id);
      const file = { ...builtOf(doc), filename: `${doc.id}.zip`, mediaType: 'application/zip' };
      return fileAnswer(store.blobs, file, call).answer;
    },
  };
}

const decode = (content: string): Buffer => Buffer.from(content, 'base64');

/** @throws GovctlError evidence_not_ready */
function builtOf({ id, status, bundle, failure }: StoredBundle): StoredFile {
  if (status === 'completed' && bundle) return bundle;
  const message =
    status === 'failed'
      ? `Bundle ${id} failed: ${failure?.reason ?? 'the reason is unknown'}`
      : `Bundle ${id} is being built; download it once GET /v1/compliance/evidence/${id} returns the status completed`;
  throw new GovctlError('evidence_not_ready', message, { extra: { evidence_id: id, status } });
}

const showBundle = ({
  attempts: _attempts,
  facts: _facts,
  base_url: _url,
  bundle,
  ...shown
}: StoredBundle) => ({
  ...shown,
  ...(bundle
    ? { bundle: { size: bundle.size, sha256: bundle.sha256, key_id: bundle.key_id } }
    : {}),
});

const showManual = ({ file, ...shown }: StoredManual) => ({
  ...shown,
  ...(file ? { file: describeFile(file) } : {}),
});

const bundleFilters = async (reader: Reader, query: BundleListQuery): Promise<Filters> => ({
  ...anyOf(query, ['status']),
  ...(query.framework === undefined
    ? {}
    : { framework: { any: [frameworkKey((await chooseControls(reader, query.framework)).id)] } }),
});

/** @throws GovctlError framework_not_found, control_not_found, invalid_evidence */
async function manualFilters(
  reader: Reader,
  { framework, control }: ManualListQuery,
): Promise<Filters> {
  if (control !== undefined) {
    const { framework: name, control: id } = splitLabel(control);
    if (id === '') throw invalid('control', 'must include its framework, such as SOC2:CC1.1');
    const { id: known, controls } = await chooseControls(reader, name, [id]);
    return { control: { any: controls.map((one) => keyOfControl(known, one.id)) } };
  }
  if (framework === undefined) return {};
  return { framework: { any: [frameworkKey((await chooseControls(reader, framework)).id)] } };
}
