// What a run of vitest says in its JSON report: how many tests passed, failed and were skipped, and one line for each
// failure. `npm test` and `npm run test:nodes` end with it, as the details are far above by then.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Reads the report of a run that ended well or not (`ok`); paths are said as seen from `root`. */
export function readTally(report, ok, root) {
  const written = existsSync(report);
  const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [] };
  const results = written ? JSON.parse(readFileSync(report, 'utf8')) : none;
  return {
    ok: ok && written,
    passed: results.numPassedTests,
    // A run without a report, or a suite that could not even load, has no failed test in it, but it failed.
    failed: Math.max(results.numFailedTests, ok && written ? 0 : 1),
    skipped: results.numPendingTests,
    failures: results.testResults.flatMap((file) => failuresOf(file, root)),
  };
}

function failuresOf({ name, status, message, assertionResults }, root) {
  const file = path.relative(root, name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [`${file}: ${firstLine(message)}`] : [];
  return failed.map((test) => `${file} > ${test.fullName}: ${firstLine(test.failureMessages[0])}`);
}

const firstLine = (text = '') => text.trimStart().split('\n', 1)[0];

/** "12 passed, 0 failed, 3 skipped" */
export const sayTally = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
