import type { Client } from '../../client/client.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { ApplyOptions } from '../../project/apply/apply.ts';
import { applyPlan } from '../../project/apply/apply.ts';
import type { ApplyResult, ChangeResult } from '../../project/apply/results.ts';
import { applyExitCode } from '../../project/apply/results.ts';
import type { Plan } from '../../project/plan/plan.ts';
import type { Context } from '../context.ts';
import { fromWorkspace, renderGithub, writeGithubOutput } from '../formats/github.ts';
import { count, inThrees, printable, printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import { createStyle } from '../terminal/terminal.ts';
import { applyMarkdown, applyProblems } from './plan-reports.ts';
import { kindWord } from './plan-text.ts';

/** Applies a plan under a progress line and shows what became of each change. */
export async function runApplyPlan(
  context: Context,
  client: Client,
  plan: Plan,
  options: Pick<ApplyOptions, 'concurrency' | 'secrets' | 'source'>,
): Promise<ExitCode> {
  const result = await context.progress('Checking that the plan is up to date', (update) =>
    applyPlan(client, plan, {
      ...options,
      signal: context.world.signal,
      onProgress: (done, total) => update(`Applied ${inThrees(done)} of ${inThrees(total)}`),
    }),
  );
  await showResult(context, plan, result);
  await writeGithubOutput(context.world.env, { ...result.summary, digest: plan.digest });
  const exitCode = applyExitCode(result);
  if (exitCode !== exitCodes.ok)
    await context.world.terminal.stderr.write(describeEnd(context, result));
  return exitCode;
}

async function showResult(context: Context, plan: Plan, result: ApplyResult): Promise<void> {
  const { world } = context;
  const { summary, results, networkMs } = result;
  const placed = results.map((each, index) => ({ ...each, place: plan.changes[index]?.place }));
  const problems = applyProblems(
    placed.map(({ place, ...each }) => (place ? { ...each, place } : each)),
  );
  const line = resultLine(result, createStyle(false));
  await context.show({
    value: { summary, results, network_ms: Math.round(networkMs * 10) / 10, digest: plan.digest },
    rows: () => results,
    human: (style) => {
      const done = plan.changes.every(({ cause }) => cause === 'adopt') ? 'adopted' : undefined;
      const lines = tell(results, context.flags.quiet).map((each) =>
        renderResult(each, style, done),
      );
      const more = summary.not_attempted - mostNotAttempted;
      if (more > 0 && !context.flags.quiet) {
        lines.push(
          `  ${style.yellow('·')} ${style.yellow(`${inThrees(more)} more not attempted`)}; run \`govctl apply\` again to continue`,
        );
      }
      return `${[...lines, ...(lines.length > 0 ? [''] : []), resultLine(result, style)].join('\n')}\n`;
    },
    more: {
      markdown: () => applyMarkdown(plan.project, line, results),
      github: () => renderGithub(fromWorkspace(problems, world.cwd, world.env), line),
    },
  });
}

/** Of what was not even begun a few are told: of an interrupted apply it may be thousands. */
const mostNotAttempted = 10;

function tell(results: readonly ChangeResult[], quiet: boolean): readonly ChangeResult[] {
  let notAttempted = 0;
  return results.filter(({ status, warnings }) => {
    if (status === 'failed' || warnings) return true;
    if (quiet || status === 'skipped') return false;
    return status !== 'not_attempted' || ++notAttempted <= mostNotAttempted;
  });
}

/** `done`: what is said of what was applied; default: its action. */
function renderResult(result: ChangeResult, style: Style, done?: string): string {
  const { status, action, key, id, error, warnings = [] } = result;
  const [mark, said] = {
    applied: [style.green('✓'), done ?? `${action}d`],
    skipped: [style.dim('='), 'already done'],
    failed: [style.red('✗'), style.red(`${action} failed`)],
    not_attempted: [style.yellow('·'), style.yellow(`${action} not attempted`)],
  }[status];
  const lines = [
    `  ${mark} ${said} ${kindWord(result)}${printableLine(key)}${id ? style.dim(`  ${printableLine(id)}`) : ''}`,
  ];
  const indent = '      ';
  if (error) {
    lines.push(
      ...printable(error.message)
        .split('\n')
        .map((text) => indent + text),
    );
    if (error.hint) lines.push(`${indent}${style.cyan('→')} ${printable(error.hint)}`);
    if (error.request_id)
      lines.push(style.dim(`${indent}(request ${printableLine(error.request_id)})`));
  }
  lines.push(...warnings.map((text) => `${indent}${style.yellow('warning:')} ${printable(text)}`));
  return lines.join('\n');
}

function resultLine({ summary, networkMs }: ApplyResult, style: Style): string {
  const { applied, failed, skipped } = summary;
  const parts = [
    `${inThrees(applied)} applied`,
    ...(skipped > 0 ? [`${inThrees(skipped)} already done`] : []),
    ...(failed > 0 ? [style.red(`${inThrees(failed)} failed`)] : []),
    ...(summary.not_attempted > 0
      ? [style.yellow(`${inThrees(summary.not_attempted)} not attempted`)]
      : []),
  ];
  const duration =
    networkMs < 1000 ? `${Math.ceil(networkMs)} ms` : `${(networkMs / 1000).toFixed(1)} s`;
  return `${style.bold('Apply:')} ${parts.join(', ')}${applied > 0 ? ` in ${duration}` : ''}.`;
}

function describeEnd({ talkStyle }: Context, { summary, interrupted }: ApplyResult): string {
  const missing = summary.failed + summary.not_attempted;
  const what = interrupted
    ? `Interrupted: running requests finished, ${count(missing, 'change')} not applied`
    : `${count(missing, 'change')} could not be applied`;
  return `${talkStyle.red('error:')} ${what}\n  ${talkStyle.cyan('→')} Run \`govctl apply\` again to continue; completed changes are not repeated.\n`;
}

/** @throws GovctlError usage_error */
export function parseConcurrency(text: string | undefined, preset: number): number {
  if (text === undefined) return preset;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 64) return number;
  throw new GovctlError(
    'usage_error',
    `--concurrency ${text}: must be a whole number from 1 to 64`,
  );
}
