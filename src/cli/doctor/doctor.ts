import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { count } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
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
    human: (style, columns) =>
      findings.map((finding) => describeFinding(finding, style, columns)).join('') +
      `\n${summary.ok} ok, ${count(summary.warn, 'warning')}, ${summary.fail} failed\n`,
  });
  return summary.fail > 0 ? exitCodes.error : exitCodes.ok;
}

function describeFinding(
  { check, status, message, hint }: Finding,
  style: Style,
  columns: number,
): string {
  const marks = { ok: style.green('ok  '), warn: style.yellow('warn'), fail: style.red('fail') };
  const margin = ' '.repeat(20);
  const line = `${marks[status]}  ${check.padEnd(12)}  ${message}`;
  const lines = [wrapWords(line, columns, margin.length)];
  if (hint) lines.push(wrapWords(`${margin}${style.cyan('→')} ${hint}`, columns));
  return `${lines.join('\n')}\n`;
}
