import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { Timestamp, listEndpoint, listQuery } from './lists.ts';
import { ByReport, ReportFormat } from './reports.ts';

/** Header that carries a protected report's password to a download. */
export const reportPasswordHeader = 'X-Service-Report-Password';

/** A text as a header carries it: its UTF-8 bytes, each as one character. */
export const headerText = (text: string): string =>
  String.fromCharCode(...new TextEncoder().encode(text));

/** Seconds. */
export const linkLifetime = { least: 60, most: 604_800, default: 3_600 } as const;

const LinkInput = z.strictObject({
  format: ReportFormat,
  /** Seconds. */
  expires_in: z.int().min(linkLifetime.least).max(linkLifetime.most).default(linkLifetime.default),
});

const CreatedLink = z.looseObject({
  id: z.string(),
  /** Its last parameter is `signature`; it takes no Authorization. */
  url: z.string(),
  format: z.string(),
  expires_at: Timestamp,
  sha256: z.string(),
  size_bytes: z.int(),
});

/** One row of the access log. */
const Download = z.looseObject({
  id: z.string(),
  at: Timestamp,
  format: z.string(),
  /** Who: the owner of the token, or whoever made the link. */
  by: z.string(),
  /** `token` or `link`. */
  via: z.string(),
  link_id: z.string().optional(),
  ip: z.string().optional(),
  /** It took a part only (Range). */
  partial: z.boolean().optional(),
});

const ByReportFormat = z.strictObject({ report_id: z.string(), format: z.string() });
const ByLink = z.strictObject({ report_id: z.string(), link_id: z.string() });

const downloadErrors = [
  'report_not_found',
  'report_not_ready',
  'report_password_required',
  'report_password_wrong',
  'invalid_report_config',
  'rate_limit_exceeded',
] as const;

/** Of the noun `reports`, too. */
export const downloads = {
  download: endpoint({
    method: 'GET',
    path: '/v1/reports/:report_id/download/:format',
    summary: 'Download the file of a report in one format; supports Range',
    scope: 'governance:read',
    params: ByReportFormat,
    response: { status: 200, type: 'application/octet-stream', binary: true },
    errors: downloadErrors,
  }),
  downloadSignature: endpoint({
    method: 'GET',
    path: '/v1/reports/:report_id/download/:format/signature',
    summary:
      'Download the detached signature (PKCS#7, DER) of a signed report in a format other than PDF',
    scope: 'governance:read',
    ext: true,
    params: ByReportFormat,
    response: { status: 200, type: 'application/pkcs7-signature', binary: true },
    errors: downloadErrors,
  }),
  createLink: endpoint({
    method: 'POST',
    path: '/v1/reports/:report_id/download-link',
    summary: 'Create a temporary share link for a report; using the link requires no token',
    scope: 'compliance:write',
    params: ByReport,
    body: LinkInput,
    secret: true,
    response: { status: 201, body: CreatedLink },
    errors: ['report_not_found', 'report_not_ready', 'invalid_report_config'],
  }),
  revokeLink: endpoint({
    method: 'DELETE',
    path: '/v1/reports/:report_id/download-links/:link_id',
    summary: 'Revoke a share link',
    scope: 'compliance:write',
    ext: true,
    params: ByLink,
    response: { status: 204 },
    errors: ['report_not_found'],
  }),
  followLink: endpoint({
    method: 'GET',
    path: '/v1/reports/:report_id/download-links/:link_id/file',
    summary: 'Download the file of a share link',
    scope: null,
    ext: true,
    params: ByLink,
    query: z.looseObject({
      /** Seconds since the epoch. */
      expires: z.string().optional(),
      /** Lower-case hex of an HMAC-SHA256. A link that lacks a part, or has one more, is answered as one that was changed. */
      signature: z.string().optional(),
    }),
    signedQuery: true,
    response: { status: 200, type: 'application/octet-stream', binary: true },
    errors: downloadErrors,
  }),
  downloads: {
    ...listEndpoint({
      path: '/v1/reports/:report_id/downloads',
      summary: 'List the downloads of a report: who downloaded it, and when',
      ext: true,
      query: listQuery(['at'], {}),
      rows: { downloads: z.array(Download) },
      errors: ['report_not_found'],
    }),
    params: ByReport,
  },
  certificate: endpoint({
    method: 'GET',
    path: '/v1/reports/signing/certificate',
    summary: 'Get the certificate that verifies signed reports (PEM)',
    scope: 'governance:read',
    ext: true,
    response: { status: 200, body: z.string(), type: 'application/x-pem-file' },
    errors: [],
  }),
};
