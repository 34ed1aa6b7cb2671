import type { View } from '../terminal/output.ts';
import { printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import type { SignatureFinding } from '../../report/sign/check-signature.ts';

export interface Verdict {
  readonly file: string;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Absent where no server was asked. */
  readonly report?: { readonly id: string; readonly name: string };
  readonly record?:
    | { readonly known: false }
    | {
        readonly known: true;
        /** The format that the file is. Absent: it is none of them. */
        readonly format?: string;
        readonly hashes: Readonly<Record<string, string>>;
      };
  readonly signature: SignatureFinding | { readonly signed: false };
}

/** @param mustBeSigned nothing else was asked */
export function isFine({ record, signature }: Verdict, mustBeSigned: boolean): boolean {
  if (signature.signed ? !signature.valid : mustBeSigned) return false;
  if (record === undefined) return true;
  if (record.known) return record.format !== undefined;
  return signature.signed && signature.valid && signature.trusted;
}

export const verdictView = (verdict: Verdict): View => ({
  value: {
    file: verdict.file,
    sha256: verdict.sha256,
    ...(verdict.report ? { report_id: verdict.report.id, report_name: verdict.report.name } : {}),
    ...(verdict.record
      ? {
          matches: verdict.record.known ? verdict.record.format !== undefined : null,
          ...(verdict.record.known && verdict.record.format !== undefined
            ? { format: verdict.record.format }
            : {}),
          ...(verdict.record.known ? { expected: verdict.record.hashes } : {}),
        }
      : {}),
    signature: verdict.signature,
  },
  human: (style) =>
    [...hashLines(verdict, style), signatureLine(verdict, style)]
      .map((line) => `${line}\n`)
      .join(''),
});

function hashLines({ file, sha256, report, record }: Verdict, style: Style): string[] {
  if (!report || !record) return [];
  const whose = `${JSON.stringify(printableLine(report.name))} (${printableLine(report.id)})`;
  const name = printableLine(file);
  if (!record.known) {
    return [`${style.yellow('?')} ${name}: the server provides no SHA-256 for ${whose}`];
  }
  if (record.format !== undefined) {
    return [
      `${style.green('✓')} ${name} is the unchanged ${printableLine(record.format)} file of ${whose}`,
      `  SHA-256 ${sha256}`,
    ];
  }
  return [
    `${style.red('✗')} ${name} is not a file of ${whose}`,
    `  SHA-256 ${sha256}`,
    ...Object.entries(record.hashes).map(
      ([format, hash]) => `  ${printableLine(format)} on the server: ${printableLine(hash)}`,
    ),
  ];
}

function signatureLine({ signature, report }: Verdict, style: Style): string {
  if (!signature.signed) return `${report ? ' ' : style.red('✗')} not signed`;
  if (!signature.valid) return `${style.red('✗')} invalid signature: ${signature.why}`;
  const by = printableLine(signature.by);
  return signature.trusted
    ? `${style.green('✓')} signed by ${by}`
    : `${style.yellow('?')} signed by ${by}, but the certificate could not be matched to the server`;
}
