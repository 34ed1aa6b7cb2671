import type { Scan } from '../../contract/scans.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';
import { inThrees, printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';

export const scanView = (scan: Scan): View => ({
  value: scan,
  human: (style) => describeScan(scan, style),
});

export const isUnderway = ({ status }: Scan): boolean =>
  status === 'pending' || status === 'running';

/** Undecided findings for people; the rest is in the other formats. */
const mostShown = 5;

function describeScan(scan: Scan, style: Style): string {
  const undecided = (scan.undecided ?? [])
    .slice(0, mostShown)
    .map(({ policy, resource, ...why }) => {
      const reason = why.path ?? why.reason ?? '';
      return `  ${style.yellow('?')} ${printableLine(`${policy}: ${resource}: ${reason}`)}\n`;
    });
  const more = scan.summary.error - undecided.length;
  if (undecided.length > 0 && more > 0)
    undecided.push(
      `  ... and ${inThrees(more)} more. Run \`govctl evaluation list\` to list all.\n`,
    );
  return describeCounts(scan, style) + undecided.join('');
}

const describeCounts = (scan: Scan, style: Style): string =>
  formatDetails(
    scan.name ?? scan.id,
    [
      ['id', scan.id],
      ['status', scan.status === 'running' ? `running, ${scan.progress}%` : scan.status],
      ['types', scan.resource_types?.join(', ')],
      ['policies', scan.policy_ids?.join(', ')],
      ['score', scan.status === 'completed' ? showScore(scan) : undefined],
      ['resources', inThrees(scan.resources_scanned)],
      ['evaluations', showCounts(scan)],
      ['failure', scan.failure?.reason],
      ['started', utcMinute(scan.started_at)],
      ['completed', utcMinute(scan.completed_at)],
      ['duration', scan.duration],
    ],
    style,
  );

const showScore = ({ compliance_score: score }: Scan): string =>
  score === null ? 'none: nothing was evaluated' : `${score} of 100`;

const showCounts = ({ summary: { evaluated, pass, fail, error, exempt } }: Scan): string =>
  `${inThrees(evaluated)}: ${inThrees(pass)} passed, ${inThrees(fail)} failed, ${inThrees(error)} ${error === 1 ? 'error' : 'errors'}, ${inThrees(exempt)} exempt`;
