import { exitCodes } from '../../contract/errors.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import { findDrift } from '../../project/compare/drift.ts';
import type { Drifted, DriftReport, Missing } from '../../project/compare/drift.ts';
import { readRepo } from '../../project/plan/read-repo.ts';
import type { Run } from '../context.ts';
import { withEditors } from './editors.ts';
import { fromWorkspace, renderGithub, writeGithubOutput } from '../formats/github.ts';
import { renderJunit } from '../formats/junit.ts';
import { count, inThrees, printable, printableLine } from '../terminal/printable.ts';
import { renderSarif } from '../formats/sarif.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { fieldLines } from './change-lines.ts';
import { withOutside } from './outside.ts';
import { driftMarkdown, driftProblems, missingReason } from './plan-reports.ts';
import { kindWord, renderLine } from './plan-text.ts';

interface DriftOptions {
  readonly args: [paths: string[]];
  readonly project?: string;
  readonly failMissing?: boolean;
}

/**
 * Finds what was edited outside git since it was last applied: 2 when something was. Policies of the files that are
 * not live are shown; they count with --fail-missing only, as they may just not have been applied yet.
 */
export const runDrift: Run<DriftOptions> = async (context, options) => {
  const { world, version } = context;
  const { documents, owner, report, live } = await withOutside(context, async (outside) => {
    const repo = await readRepo(outside, options.args[0], options);
    const found = findDrift(repo.owner, repo.live, repo.documents);
    return {
      ...repo,
      report: { ...found, drifted: await withEditors(repo.client, found.drifted) },
    };
  });
  const { drifted, missing, summary } = report;
  const isMixed = [...documents, ...live].some(({ kind }) => kind.name !== 'Policy');
  const verdict = describeDrift(owner, summary, isMixed);
  const counted = options.failMissing ? drifted.length + missing.length : drifted.length;
  const differs = counted > 0;
  const problems = driftProblems(report);
  const inRepo = fromWorkspace(problems, world.cwd, world.env);
  await context.show({
    value: { summary, drifted, missing },
    rows: () => [...drifted, ...missing],
    human: (style, columns) => {
      const blocks = [
        ...drifted.map((each) => renderDrifted(each, style, columns)),
        ...missing.map((each) => renderMissing(each, style, columns)),
      ];
      const next = differs
        ? '\nTo restore the version in git, run `govctl apply`.\nTo keep an edit, add it to the file first.\n'
        : '';
      return `${[...blocks, wrapWords(style.bold(printable(verdict)), columns)].join('\n\n')}\n${next}`;
    },
    more: {
      markdown: () => driftMarkdown(owner, verdict, report),
      github: () => renderGithub(inRepo, verdict),
      sarif: () => renderSarif(inRepo, version),
      junit: () =>
        renderJunit(
          'govctl drift',
          documents.map(({ place }) => place.file),
          driftProblems(options.failMissing ? report : { ...report, missing: [] }).map((each) => ({
            ...each,
            level: 'error' as const,
          })),
        ),
    },
  });
  await writeGithubOutput(world.env, { ...summary, changes: differs });
  return differs ? exitCodes.verdict : exitCodes.ok;
};

function describeDrift(
  owner: string,
  { owned, drifted, missing }: DriftReport['summary'],
  isMixed: boolean,
): string {
  const [one, many] = isMixed ? ['document', 'documents'] : ['policy', 'policies'];
  const policies = `${count(owned, one, many)} of project ${owner}`;
  const edited =
    drifted === 0
      ? `No drift: ${policies} unchanged since the last apply`
      : `Drift: ${inThrees(drifted)} of ${policies} ${drifted === 1 ? 'was' : 'were'} edited outside git`;
  const absent =
    missing === 0
      ? ''
      : `; ${count(missing, one, many)} in the files ${missing === 1 ? 'is' : 'are'} missing from the service`;
  return `${edited}${absent}.`;
}

function renderMissing({ kind, key, name, place }: Missing, style: Style, columns: number): string {
  const title = [
    `  ${style.red('-')} ${kindWord({ kind })}${style.bold(printableLine(key))}`,
    style.dim(printableLine(`${place.file}:${place.line}`)),
  ].join('  ');
  return [
    wrapWords(title, columns, 4),
    ...(name === key ? [] : [`      ${style.dim('name:')} ${printableLine(name)}`]),
    wrapWords(`      ${style.dim(missingReason)}`, columns),
  ].join('\n');
}

function renderDrifted(each: Drifted, style: Style, columns: number): string {
  const { kind, key, name, id, reason, edited_by: who, fields, note, place, updated_at } = each;
  const title = [
    `  ${style.yellow('!')} ${kindWord({ kind })}${style.bold(printableLine(key ?? name))}`,
    style.dim(printableLine(id)),
    ...(place ? [style.dim(printableLine(`${place.file}:${place.line}`))] : []),
  ].join('  ');
  const last = [
    ...(updated_at === undefined ? [] : [` at ${utcMinute(updated_at)}`]),
    ...(who === undefined ? [] : [` by ${printableLine(who)}`]),
  ].join('');
  const when = last === '' ? '' : `, last${last}`;
  const details =
    fields === null
      ? [style.dim(printableLine(note === undefined ? notInFiles : hiddenBy(note)))]
      : fieldLines(fields, columns - 8).map((line) => renderLine(line, style));
  return [title, style.dim(`${printableLine(reason)}${when}`), ...details]
    .map((line, index) =>
      index === 0 ? wrapWords(line, columns, 4) : wrapWords(`      ${line}`, columns),
    )
    .join('\n');
}

const notInFiles =
  'The files no longer contain the version last applied, so the edit cannot be shown.';

const hiddenBy = (note: string): string => `The edit cannot be shown: ${note}.`;
