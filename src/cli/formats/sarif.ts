import { createHash } from 'node:crypto';
import type { severities } from '../../contract/policies.ts';
import { enforcementTagPrefix } from '../../contract/enforcement.ts';
import type { Enforcement } from '../../contract/enforcement.ts';
import type { Replacement } from '../../project/fix/replacements.ts';
import type { Problem } from '../../project/model.ts';

type Severity = (typeof severities)[number];

/** What SARIF says of a rule beside its id. */
export interface SarifRule {
  readonly name: string;
  readonly description?: string | undefined;
  readonly help?: string | undefined;
  readonly severity: Severity;
  readonly enforcement?: Enforcement | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** A problem, or a finding put as one. */
export interface SarifItem extends Problem {
  /** Names what was found wherever it stands; default: made of the line's text. */
  readonly fingerprint?: string;
  /** Why it is accepted. */
  readonly accepted?: string;
  /** The input itself says so. */
  readonly acceptedIn?: 'source';
  /** What would mend it, file by file. */
  readonly fix?: { readonly description: string; readonly changes: readonly ChangedFile[] };
}

interface ChangedFile {
  readonly file: string;
  readonly replacements: readonly Replacement[];
}

interface SarifOptions {
  /** By the code of the items. */
  readonly rules?: ReadonlyMap<string, SarifRule>;
  /** What kept the run from being complete. */
  readonly failures?: readonly { readonly file: string; readonly message: string }[];
  /** What to know of the run besides. */
  readonly notes?: readonly { readonly level: 'warning' | 'note'; readonly text: string }[];
}

/** SARIF 2.1.0, as code scanning takes it: a physical location and a fingerprint for every result. */
export function renderSarif(
  items: readonly SarifItem[],
  version: string,
  { rules = new Map(), failures, notes = [] }: SarifOptions = {},
): string {
  const codes = [...new Set([...items.map(({ code }) => code), ...rules.keys()])].sort();
  const indexes = new Map(codes.map((code, index) => [code, index]));
  const seen = new Map<string, number>();
  const timesBefore = (what: string): number => {
    const times = seen.get(what) ?? 0;
    seen.set(what, times + 1);
    return times;
  };
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'govctl', version, rules: codes.map((id) => ruleOf(id, rules.get(id))) },
        },
        ...(failures ? { invocations: [invocationOf(failures, notes)] } : {}),
        columnKind: 'utf16CodeUnits',
        results: items.map((item) => {
          const rule = rules.get(item.code);
          return {
            ruleId: item.code,
            ruleIndex: indexes.get(item.code),
            level: rule ? levelOf(rule) : item.level,
            message: { text: item.hint ? `${item.message}. ${item.hint}` : item.message },
            locations: [{ physicalLocation: locationOf(item) }],
            partialFingerprints: {
              'govctlProblem/v1': fingerprintOf(item, timesBefore),
            },
            ...(item.fix ? { fixes: [fixOf(item.fix)] } : {}),
            ...(item.accepted === undefined
              ? {}
              : {
                  suppressions: [
                    {
                      kind: item.acceptedIn === 'source' ? 'inSource' : 'external',
                      status: 'accepted',
                      justification: item.accepted,
                    },
                  ],
                }),
          };
        }),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

const levels = { CRITICAL: 'error', HIGH: 'error', MEDIUM: 'warning', LOW: 'note' } as const;

const enforcedLevels = { advisory: 'warning', mandatory: 'error' } as const;

const levelOf = ({ severity, enforcement }: SarifRule) =>
  enforcement === undefined ? levels[severity] : enforcedLevels[enforcement];

/** Of ten, within the bands that GitHub calls critical, high, medium and low. */
const scores = { CRITICAL: '9.5', HIGH: '8.0', MEDIUM: '5.5', LOW: '2.0' } as const;

function ruleOf(id: string, rule: SarifRule | undefined) {
  if (!rule) return { id, shortDescription: { text: id.replaceAll('-', ' ') } };
  const { severity, enforcement, tags = [] } = rule;
  return {
    id,
    shortDescription: { text: rule.name },
    fullDescription: { text: rule.description ?? rule.name },
    help: { text: rule.help ?? rule.description ?? rule.name },
    defaultConfiguration: { level: levelOf(rule) },
    properties: {
      // Code scanning fails a pull request by it, whatever the level.
      ...(enforcement === 'advisory' ? {} : { 'security-severity': scores[severity] }),
      tags: [
        'security',
        ...(enforcement === undefined ? [] : [`${enforcementTagPrefix}${enforcement}`]),
        ...tags,
      ],
    },
  };
}

const invocationOf = (
  failures: NonNullable<SarifOptions['failures']>,
  notes: NonNullable<SarifOptions['notes']>,
) => ({
  executionSuccessful: failures.length === 0,
  toolExecutionNotifications: [
    ...failures.map(({ file, message }) => ({ level: 'error', text: `${file}: ${message}` })),
    ...notes,
  ].map(({ level, text }) => ({ level, message: { text } })),
});

const fixOf = ({ description, changes }: NonNullable<SarifItem['fix']>) => ({
  description: { text: description },
  artifactChanges: changes.map(({ file, replacements }) => ({
    artifactLocation: artifactOf(file),
    replacements: replacements.map(({ line, lines, isEnd, text }) => ({
      deletedRegion: {
        startLine: line,
        startColumn: 1,
        // Up to the beginning of the next line, or to the end of the text.
        ...(isEnd ? { endLine: line + lines - 1 } : { endLine: line + lines, endColumn: 1 }),
      },
      // A byte order mark is no part of the text.
      insertedContent: { text: text.replace(/^\ufeff/, '') },
    })),
  })),
});

const artifactOf = (file: string) => ({ uri: file.split('/').map(encodeURIComponent).join('/') });

function locationOf({ file, line, column, excerpt }: Problem) {
  return {
    artifactLocation: artifactOf(file),
    region: {
      startLine: line,
      startColumn: column,
      ...(excerpt ? { endColumn: column + excerpt.width, snippet: { text: excerpt.text } } : {}),
    },
  };
}

/**
 * Unique, as code scanning drops results that share one. Of what is found and in which text, not of where: it stays when
 * lines above come or go.
 */
function fingerprintOf(
  { fingerprint, code, file, excerpt }: SarifItem,
  timesBefore: (what: string) => number,
): string {
  if (fingerprint !== undefined) {
    const times = timesBefore(fingerprint);
    return times === 0 ? fingerprint : `${fingerprint}:${times + 1}`;
  }
  const what = JSON.stringify([code, file, excerpt?.text.trim() ?? '']);
  return createHash('sha256')
    .update(`${what}#${timesBefore(what)}`)
    .digest('hex')
    .slice(0, 32);
}
