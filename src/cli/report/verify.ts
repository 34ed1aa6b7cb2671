import { defined } from '../../contract/defined.ts';
import { X509Certificate, createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '../../client/client.ts';
import { isPathMissing } from '../../client/objects.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { readInputBytes, readInputFile } from '../flags/input-file.ts';
import { idInFileName } from './file-name.ts';
import { findObject } from '../objects/find.ts';
import { reports } from './reports.ts';
import type { ShownReport } from './report-objects.ts';
import { nameOf } from './report-objects.ts';
import type { SignatureFinding } from '../../report/sign/check-signature.ts';
import { checkSignature } from '../../report/sign/check-signature.ts';
import { checkPdf } from '../../report/sign/check-pdf.ts';
import type { Verdict } from './verify-view.ts';
import { isFine, verdictView } from './verify-view.ts';

export interface VerifyOptions {
  readonly args: readonly [string];
  readonly report?: string;
  readonly certificate?: string;
}

/**
 * Whether a file is what the server made: its hash against the server's record, and its signature against the server's
 * certificate. With --certificate the signature alone, without any server.
 */
export async function runVerify(context: Context, options: VerifyOptions): Promise<ExitCode> {
  const [file] = options.args;
  const { world } = context;
  const bytes = await readInputBytes(world, file);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const beside = await readBeside(context, `${file}.sig`);
  const check = (trusted: X509Certificate | undefined): Verdict['signature'] =>
    signatureOf(bytes, beside, trusted);
  let verdict: Verdict;
  if (options.certificate === undefined) {
    const record = await readRecord(context, file, options.report);
    verdict = {
      file,
      sha256,
      ...compared(record.report, sha256),
      signature: check(record.certificate),
    };
  } else {
    const pem = await readInputFile(world, options.certificate);
    verdict = { file, sha256, signature: check(parseCertificate(options.certificate, pem)) };
  }
  await context.show(verdictView(verdict));
  return isFine(verdict, options.certificate !== undefined) ? exitCodes.ok : exitCodes.verdict;
}

/** Bytes. A signature has a few thousand. */
const longestSignature = 1024 * 1024;

/** A file that nobody typed: there need be none, and what is no file is none. */
async function readBeside({ world }: Context, file: string): Promise<Buffer | undefined> {
  const found = await stat(path.resolve(world.cwd, file)).catch(() => undefined);
  return found?.isFile() ? readInputBytes(world, file, file, longestSignature) : undefined;
}

interface ServerRecord {
  readonly report: ShownReport;
  readonly certificate: X509Certificate | undefined;
}

/** The report that a file says it is of, and the certificate that it should be signed with. */
async function readRecord(
  context: Context,
  file: string,
  named: string | undefined,
): Promise<ServerRecord> {
  const which = named ?? idInFileName(path.basename(file)) ?? (await askWhich(context, file));
  const client = await context.client();
  return context.progress('Loading report', async () => {
    const { item: report } = await findObject(context, client, reports, which);
    return { report, certificate: await readCertificate(client) };
  });
}

function askWhich({ flags, world }: Context, file: string): Promise<string> {
  if (flags.input) return world.prompt.input(`Report ID or name of ${path.basename(file)}:`);
  throw new GovctlError('usage_error', `${file} has no report ID in its name`, {
    hint: 'Pass --report with an ID or name.',
  });
}

/** Undefined where the server has none: nothing is signed there. */
async function readCertificate(client: Client): Promise<X509Certificate | undefined> {
  try {
    const answer = await client.transport.send('GET', '/v1/reports/signing/certificate', {
      headers: { accept: '*/*' },
    });
    return new X509Certificate(await answer.text());
  } catch (error) {
    if (isPathMissing(error)) return undefined;
    // A server without the path may take its second word for a report's id; what is no certificate is none.
    if (error instanceof GovctlError && error.status !== 404) throw error;
    return undefined;
  }
}

function parseCertificate(file: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new GovctlError('invalid_file', `${file} is not a PEM certificate`, { cause });
  }
}

/** The format whose hash the file has; else what the server says of the format that its name ends with. */
function compared(report: ShownReport, sha256: string): Pick<Verdict, 'report' | 'record'> {
  const hashes = new Map(Object.entries(report.metadata?.sha256 ?? {}));
  for (const { format, sha256: its } of report.formats ?? []) if (its) hashes.set(format, its);
  const format = [...hashes].find(([, its]) => its.toLowerCase() === sha256)?.[0];
  return {
    report: { id: report.id, name: nameOf(report) },
    record:
      hashes.size === 0
        ? { known: false }
        : {
            known: true,
            ...defined({ format }),
            hashes: Object.fromEntries(hashes),
          },
  };
}

function signatureOf(
  bytes: Buffer,
  beside: Buffer | undefined,
  trusted: X509Certificate | undefined,
): SignatureFinding | { readonly signed: false } {
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-') return checkPdf(bytes, trusted);
  if (!beside) return { signed: false };
  return checkSignature(createHash('sha256').update(bytes).digest(), beside, trusted);
}
