import { GovctlError } from '../../../contract/errors.ts';
import type { StoredReport } from '../collection.ts';

/** Why nothing of a report can be downloaded now, and what to do about it. */
export function notReady({ id, status, progress, failure }: StoredReport): GovctlError {
  const extra = {
    report_id: id,
    status,
    ...(status === 'generating' ? { progress: progress ?? 0 } : {}),
  };
  if (status === 'failed') {
    const why = failure?.reason.replace(/\.$/, '') ?? 'the reason is unknown';
    return new GovctlError(
      'report_not_ready',
      `Report ${id} has failed, and has no files: ${why}. Create it again.`,
      { extra },
    );
  }
  const stands = status === 'generating' ? `generating (${progress ?? 0}%)` : status;
  return new GovctlError(
    'report_not_ready',
    `Report ${id} is ${stands}; download it once GET /v1/reports/${id} returns the status completed`,
    { extra },
  );
}
