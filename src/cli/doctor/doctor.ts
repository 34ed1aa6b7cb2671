import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { count } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import { machineChecks } from './machine.ts';
import { serviceChecks } from './service.ts';
import type { Finding } from './finding.ts';

/** Looks at everything that has to be right; exit 1 when something is not. */
export async function runDoctor(context: Context): Promise<ExitCode> {
  const findings = await context.progress('Checking this machine', async (update) => {
    const machine = await machineChecks(context);
    update('Checking the service');
    return [...machine, ...(await serviceChecks(context))];
  });
  const ofStatus = (status: Finding['status']): number =>
    findings.filter((finding) => finding.status === status).length;
  const summary = { ok: ofStatus('ok'), warn: ofStatus('warn'), fail: ofStatus('fail') };
  await context.show({
    value: { summary, checks: findings },
    rows: () => findings,
    human: (style) =>
      findings.map((finding) => describeFinding(finding, style)).join('') +
      `\n${summary.ok} ok, ${count(summary.warn, 'warning')}, ${summary.fail} failed\n`,
  });
  return summary.fail > 0 ? exitCodes.error : exitCodes.ok;
}

function describeFinding({ check, status, message, hint }: Finding, style: Style): string {
  const marks = { ok: style.green('ok  '), warn: style.yellow('warn'), fail: style.red('fail') };
  const line = `${marks[status]}  ${check.padEnd(12)}  ${message}\n`;
  return hint ? `${line}${' '.repeat(20)}${style.cyan('→')} ${hint}\n` : line;
}
