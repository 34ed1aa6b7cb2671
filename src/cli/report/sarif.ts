import { createHash } from 'node:crypto';
import type { Problem } from '../../project/model.ts';

/** SARIF 2.1.0, as code scanning takes it: a physical location and a fingerprint for every result. */
export function renderSarif(problems: readonly Problem[], version: string): string {
  const codes = [...new Set(problems.map(({ code }) => code))].sort();
  const seen = new Map<string, number>();
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'govctl',
            version,
            rules: codes.map((id) => ({ id, shortDescription: { text: id.replaceAll('-', ' ') } })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: problems.map((problem) => ({
          ruleId: problem.code,
          ruleIndex: codes.indexOf(problem.code),
          level: problem.level,
          message: { text: problem.hint ? `${problem.message}. ${problem.hint}` : problem.message },
          locations: [{ physicalLocation: locationOf(problem) }],
          partialFingerprints: { 'govctlProblem/v1': fingerprint(problem, seen) },
        })),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function locationOf({ file, line, column, excerpt }: Problem) {
  return {
    artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/') },
    region: {
      startLine: line,
      startColumn: column,
      ...(excerpt ? { endColumn: column + excerpt.width, snippet: { text: excerpt.text } } : {}),
    },
  };
}

/** Of what is found and in which text, not of where: it stays when lines above come or go. */
function fingerprint({ code, file, excerpt }: Problem, seen: Map<string, number>): string {
  const what = JSON.stringify([code, file, excerpt?.text.trim() ?? '']);
  const nth = seen.get(what) ?? 0;
  seen.set(what, nth + 1);
  return createHash('sha256').update(`${what}#${nth}`).digest('hex').slice(0, 32);
}
