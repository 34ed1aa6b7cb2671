import { defined } from '../../../contract/defined.ts';
import { createHash } from 'node:crypto';
import { GovctlError } from '../../../contract/errors.ts';
import { nearestWord } from '../../../contract/nearest.ts';
import type { ReportFormat } from '../../../contract/reports.ts';
import { reportPasswordHeader } from '../../../contract/report-downloads.ts';
import { ReportFormat as Format, reportFormats } from '../../../contract/reports.ts';
import { recordAudit } from '../../audit/service.ts';
import { askerOf } from '../../evaluation/thread/threads.ts';
import type { Answer, ByteBody, Call, Handlers, PublicCall } from '../../http/call.ts';
import type { Deps } from '../../deps.ts';
import type { ReportWork } from '../generation/report-work.ts';
import type { Asker } from '../../threads/threads.ts';
import { timestamp } from '../../deps.ts';
import { toJson } from '../../json.ts';
import { listPage } from '../../http/paging.ts';
import { reports } from '../collection.ts';
import type { StoredFile, StoredReport } from '../collection.ts';
import { checkSeesCost, readReport } from '../service.ts';
import { reportDownloads, reportLinks } from './collection.ts';
import type { StoredDownload } from './collection.ts';
import { fileAnswer } from '../../http/file-answer.ts';
import type { Downloadable, FileAnswer } from '../../http/file-answer.ts';
import { checkLink, checkRoomForLink, createLink, linkNotFound } from './links.ts';
import { notReady } from './not-ready.ts';
import { createPasswordTries } from './password-tries.ts';
import type { PasswordTrier } from './password-tries.ts';
import { verifyPassword } from './password.ts';
import { removeSurplus } from './retention.ts';

type DownloadHandlers = Pick<
  Handlers['reports'],
  'download' | 'downloadSignature' | 'createLink' | 'revokeLink' | 'followLink' | 'downloads'
>;

export interface DownloadOptions {
  readonly ensureFile: ReportWork['ensureFile'];
  /** What addresses of the service begin with, without a slash at their end. */
  readonly baseUrl: () => string;
}

/** Who takes a file, for the access log. */
type Taker = Pick<StoredDownload, 'by' | 'via' | 'link_id'>;

export function downloadHandlers(deps: Deps, options: DownloadOptions): DownloadHandlers {
  const { store } = deps;
  const tries = createPasswordTries(deps.clock);

  /** @throws GovctlError report_not_found, insufficient_scope */
  const readFor = async (id: string, call: Call): Promise<StoredReport> => {
    const { doc } = await readReport(store, id);
    if (doc.include_cost === true) checkSeesCost(call);
    return doc;
  };

  /** @throws GovctlError report_not_ready, report_password_required, report_password_wrong */
  const openReport = async (
    doc: StoredReport,
    call: PublicCall,
    by: Pick<PasswordTrier, 'via' | 'id'>,
  ): Promise<StoredReport> => {
    const { id } = doc;
    if (doc.status !== 'completed') throw notReady(doc);
    const hash = doc.security?.password_hash;
    if (hash === undefined) return doc;
    const sent = call.header(reportPasswordHeader);
    if (sent === null || sent === '') throw passwordRequired(id);
    const trier = { ...by, reportId: id, signal: call.signal };
    if (await tries.check(trier, () => verifyPassword(readHeader(sent), hash))) return doc;
    throw passwordWrong(id);
  };

  const give = async (
    call: PublicCall,
    {
      report,
      format,
      file,
      taker,
    }: {
      readonly report: StoredReport;
      readonly format: string;
      readonly file: Downloadable;
      readonly taker: Taker;
    },
  ): Promise<Answer<ByteBody | undefined>> => {
    const { answer, sent } = fileAnswer(store.blobs, file, call);
    // Nothing is given that was not written down.
    if (sent) await writeDown(deps, call, { report_id: report.id, format, ...taker }, sent);
    return answer;
  };

  const giveFile = async (
    call: PublicCall,
    report: StoredReport,
    format: ReportFormat,
    { asker, ...taker }: Taker & { readonly asker: Asker },
  ): Promise<Answer<ByteBody | undefined>> => {
    const file = await options.ensureFile(report.id, format, asker);
    return give(call, { report, format, file: downloadableOf(file), taker });
  };

  return {
    download: async ({ params }, call) => {
      const report = await openReport(await readFor(params.report_id, call), call, tokenOf(call));
      const taker = { by: call.principal.userId, via: 'token', asker: askerOf(call) } as const;
      return giveFile(call, report, readFormat(params.format), taker);
    },

    downloadSignature: async ({ params }, call) => {
      const report = await openReport(await readFor(params.report_id, call), call, tokenOf(call));
      const format = readFormat(params.format);
      const file = await options.ensureFile(report.id, format, askerOf(call));
      if (!file.signature) throw notSigned(report, format);
      const taker = { by: call.principal.userId, via: 'token' } as const;
      const signature = await signatureOf(deps, file, file.signature);
      return give(call, { report, format: `${format}.sig`, file: signature, taker });
    },

    createLink: async ({ params, body: { format, expires_in: expiresIn } }, call) => {
      const report = await readFor(params.report_id, call);
      if (report.status !== 'completed') throw notReady(report);
      const { sha256, size } = await options.ensureFile(report.id, format, askerOf(call));
      return call.transact(async (tx) => {
        // It may have been deleted meanwhile. Its links are shown in it, so its ETag changes.
        const { doc } = await readReport(tx, report.id);
        await checkRoomForLink(tx, report.id);
        await tx.replace(reports, doc);
        const order = { report_id: report.id, format, created_by: call.principal.userId };
        const { link, path } = await createLink(deps, tx, order, expiresIn);
        await recordAudit(deps, tx, call.actor, 'report.link.create', link.id);
        const shown = {
          id: link.id,
          url: options.baseUrl() + path,
          format,
          expires_at: timestamp(link.expires_at),
          sha256,
          size_bytes: size,
        };
        return { body: toJson(shown) };
      });
    },

    revokeLink: async ({ params }, call) =>
      call.transact(async (tx) => {
        const link = (await tx.get(reportLinks, params.link_id))?.doc;
        if (link?.report_id !== params.report_id) throw linkNotFound(params.report_id);
        await tx.remove(reportLinks, link.id);
        const { doc } = await readReport(tx, link.report_id);
        await tx.replace(reports, doc);
        await recordAudit(deps, tx, call.actor, 'report.link.revoke', link.id);
        return { body: undefined };
      }),

    followLink: async ({ params, query }, call) => {
      const link = await checkLink(deps, params, query);
      // Who made the link may see what it leads to.
      const { doc } = await readReport(store, link.report_id);
      const report = await openReport(doc, call, { via: 'link', id: link.id });
      // All links of a caller share their turns, and leave those of the caller free.
      const asker = { owner: `link ${link.created_by}`, signal: call.signal };
      const taker = { by: link.created_by, via: 'link', link_id: link.id, asker } as const;
      return giveFile(call, report, readFormat(link.format), taker);
    },

    downloads: async ({ params: { report_id: id }, query }) => {
      await readReport(store, id);
      const where = { report_id: { any: [id] } };
      return listPage(store, reportDownloads, {
        query,
        filters: where,
        plural: 'downloads',
        show: ({ doc }) => toJson(showDownload(doc)),
      });
    },
  };
}

const tokenOf = ({ principal }: Call) => ({ via: 'token', id: principal.userId }) as const;

const showDownload = ({ report_id: _, ...shown }: StoredDownload) => shown;

const downloadableOf = (file: StoredFile): Downloadable => ({
  ...file,
  mediaType: file.media_type,
});

/** A signature is small: its hash is made when it is asked for. */
async function signatureOf(
  { store }: Deps,
  file: StoredFile,
  { blob, size }: NonNullable<StoredFile['signature']>,
): Promise<Downloadable> {
  const hash = createHash('sha256');
  for await (const chunk of store.blobs.read(blob)) hash.update(chunk);
  return {
    blob,
    size,
    sha256: hash.digest('hex'),
    filename: `${file.filename}.sig`,
    mediaType: 'application/pkcs7-signature',
  };
}

/** The access log's row, and the count of the link. */
const writeDown = (
  deps: Deps,
  { remoteAddress: ip }: PublicCall,
  download: Omit<StoredDownload, 'id' | 'at'>,
  sent: NonNullable<FileAnswer['sent']>,
): Promise<void> =>
  deps.store.transact(async (tx) => {
    await readReport(tx, download.report_id);
    await tx.insert(reportDownloads, {
      id: deps.ids.next('dwn'),
      at: timestamp(deps.clock.now()),
      ...download,
      ...defined({ ip }),
      ...(sent === 'whole' ? {} : { partial: true }),
    });
    await removeSurplus(tx, download.report_id);
    if (download.link_id === undefined || sent === 'rest') return;
    const link = (await tx.get(reportLinks, download.link_id))?.doc;
    if (link) await tx.replace(reportLinks, { ...link, downloads: link.downloads + 1 });
  }, `${download.via} ${download.by}`);

/** @throws GovctlError invalid_report_config with the nearest format */
function readFormat(given: string): ReportFormat {
  const parsed = Format.safeParse(given);
  if (parsed.success) return parsed.data;
  const nearest = nearestWord(given, reportFormats);
  const said = JSON.stringify(given.slice(0, 64));
  const message = nearest
    ? `is not a format; did you mean ${nearest}?`
    : `is not a format; use ${reportFormats.join(', ')}`;
  throw new GovctlError('invalid_report_config', `${said} ${message}`, {
    details: [{ field: 'format', message }],
  });
}

/** Headers are bytes: UTF-8 where they can be read as that, else Latin-1. */
function readHeader(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

const passwordRequired = (id: string): GovctlError =>
  new GovctlError(
    'report_password_required',
    `Report ${id} is protected: send its password in the header ${reportPasswordHeader}`,
    { extra: { report_id: id } },
  );

const passwordWrong = (id: string): GovctlError =>
  new GovctlError('report_password_wrong', `Incorrect password for report ${id}`, {
    extra: { report_id: id },
  });

function notSigned({ id, security }: StoredReport, format: ReportFormat): GovctlError {
  const why =
    security?.sign === true
      ? 'a PDF contains its signature'
      : 'the report was not created with format_options.security.sign';
  return new GovctlError(
    'invalid_report_config',
    `Report ${id} has no detached signature of its ${format}: ${why}`,
    { details: [{ field: 'format', message: `has no detached signature: ${why}` }] },
  );
}
