import { utcMinute } from '../../contract/utc-time.ts';
import type { BundleProblem, Verified } from '../../report/evidence/verify.ts';
import { signerLine, signerValue } from '../credentials/signer-view.ts';
import type { TrustedKey } from '../credentials/trusted-key.ts';
import type { View } from '../terminal/output.ts';
import { count, inThrees, printableLine, visible } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import { momentOf } from './bundles.ts';

type Valid = Extract<Verified, { readonly verdict: 'valid' }>;
type Invalid = Extract<Verified, { readonly verdict: 'invalid' }>;

export const verifyView = (
  file: string,
  verified: Valid | Invalid,
  trusted: TrustedKey | undefined,
): View =>
  verified.verdict === 'valid'
    ? {
        value: {
          file,
          verdict: verified.verdict,
          signer: signerValue(verified.summary.key_id, trusted),
          bundle: verified.summary,
          problems: [],
        },
        human: (style) => `${validLines(file, verified, trusted, style).join('\n')}\n`,
      }
    : {
        value: { file, verdict: verified.verdict, problems: verified.problems },
        human: (style) => `${invalidLines(file, verified.problems, style).join('\n')}\n`,
      };

/** Missing things that are told; JSON has all. */
const mostMissing = 10;

function validLines(
  file: string,
  { signer, summary }: Valid,
  trusted: TrustedKey | undefined,
  style: Style,
): string[] {
  const { framework, controls, policies, since, base_url: url, local, cut, missing } = summary;
  const is = `${printableLine(file)} is unchanged: its ${inThrees(summary.entries)} entries match their hashes and the signature`;
  const verdict = {
    known: `${style.green('✓')} ${is}.`,
    unknown: `${style.yellow('?')} ${is}. The signer is unknown.`,
    other: `${style.red('✗')} ${is}, but not signed with the expected key.`,
  }[signer];
  const what = `${count(controls, 'control')}, ${count(policies, 'policy', 'policies')}, changes since ${utcMinute(since)}`;
  const more = missing.length - mostMissing;
  return [
    verdict,
    signerLine(summary.key_id, trusted),
    `Server   ${printableLine(url)}${local ? ' (local: the user can change the data and clock)' : ''}`,
    `Content  ${printableLine(`${framework}: ${what}`)}`,
    `As of    ${printableLine(momentOf(cut))}`,
    `Audit    ${printableLine(`${cut.audit_sequence}:${cut.audit_hash}`)}`,
    ...missing
      .slice(0, mostMissing)
      .map((one, index) => `${index === 0 ? 'Missing' : '       '}  ${printableLine(one)}`),
    ...(more > 0 ? [`         and ${inThrees(more)} more; use -o json to list all`] : []),
    ...(signer === 'unknown'
      ? [
          'Log in to the server to pin its key, or pass --key FILE with a key from a trusted source.',
        ]
      : []),
    'A signature proves who signed the bundle, not that its content is true.',
  ];
}

const invalidLines = (file: string, problems: readonly BundleProblem[], style: Style): string[] => [
  `${style.red('✗')} ${printableLine(file)} was changed after signing: ${count(problems.length, 'problem')}.`,
  ...problems.map(({ entry, offset, message }) => {
    const where = [
      ...(entry === undefined ? [] : [visible(entry)]),
      ...(offset === undefined ? [] : [`byte ${inThrees(offset)}`]),
    ].join(', ');
    return `  ${style.red('-')} ${where}: ${message}`;
  }),
];
