import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

/** Runs a system tool to its end. */
export const runTool = (tool: string, ...args: readonly string[]): void => {
  execFileSync(tool, args, { stdio: 'pipe' });
};

/** What a system tool says on stdout. @throws where it fails */
export const readTool = (tool: string, ...args: readonly string[]): string =>
  execFileSync(tool, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Starts a system tool that goes on beside the test. */
export const startTool = (tool: string, ...args: readonly string[]): ChildProcess =>
  spawn(tool, args, { stdio: 'ignore' });

/**
 * Whether a system tool that a test needs is usable. Where it isn't, the test is skipped with one
 * line; with GOVCTL_REQUIRE_TOOLS=1 (CI, which installs them) that is an error.
 */
export const hasTool = (what: string, probe: () => void): boolean => {
  const reason = failureOf(probe);
  if (reason === undefined) return true;
  if (process.env['GOVCTL_REQUIRE_TOOLS'] === '1') {
    throw new Error(`these tests need ${what}`, { cause: reason });
  }
  return skip(what);
};

/** Whether this machine lets a test do something that no install can give it, such as mounting. */
export const isAllowed = (what: string, probe: () => void): boolean =>
  failureOf(probe) === undefined || skip(what);

function skip(what: string): false {
  process.stderr.write(`skipped: tests that need ${what}\n`);
  return false;
}

function failureOf(probe: () => void): unknown {
  try {
    probe();
    return undefined;
  } catch (error) {
    return error;
  }
}
