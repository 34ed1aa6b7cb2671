import type { Drifted, DriftReport } from '../../project/compare/drift.ts';
import type { ChangeResult } from '../../project/apply/results.ts';
import type { Problem } from '../../project/model.ts';
import type { Plan } from '../../project/plan/plan.ts';
import { escapeMarkdown } from '../formats/markdown.ts';
import { count, printable, showUnseen } from '../terminal/printable.ts';
import { createStyle } from '../terminal/terminal.ts';
import type { DiffLine } from './change-lines.ts';
import { fieldLines } from './change-lines.ts';
import { renderImpact } from './impact-text.ts';
import type { PlanNotes } from './plan-text.ts';
import { changeMark, fieldsToShow, kindWord, outlineOf, summaryLine } from './plan-text.ts';

const plain = createStyle(false);
/** Bytes of a whole report: GitHub refuses comments over 65,536 characters. */
const mostBytes = 60_000;
/** Columns of a difference inside a code block. */
const blockColumns = 100;

/** A plan for a pull request: the summary first, then each change, cut off where a comment would grow too long. */
export function planMarkdown(plan: Plan, { notes, blocked, impact, brief }: PlanNotes): string {
  const changes = plan.changes.map((change) => {
    const lines = fieldLines(fieldsToShow(change, brief), blockColumns);
    return markdownItem(
      `${changeMark(change)} ${change.action} ${kindWord(change)}`.trimEnd(),
      change.key,
      [
        change.name === change.key ? change.reason : `${change.name} — ${change.reason}`,
        ...outlineOf(change),
      ].join(' · '),
      lines,
    );
  });
  return fitMarkdown(
    [
      `## govctl plan: ${escapeMarkdown(plan.project)}`,
      escapeMarkdown(summaryLine(plan, blocked.length, plain)),
      ...notes.map(escapeMarkdown),
      ...(impact ? [escapeMarkdown(renderImpact(impact, plain))] : []),
    ],
    [
      ...blocked.map(({ kind, key, reason, hint }) =>
        markdownItem(`✗ blocked ${kindWord({ kind })}`.trimEnd(), key, `${reason}. ${hint}`, []),
      ),
      ...changes,
      ...plan.orphans.map(({ kind, key, name, id, reason }) =>
        markdownItem(
          `? kept ${kindWord({ kind })}`.trimEnd(),
          key ?? name,
          `live without a file (${id})${reason === undefined ? '' : `; ${reason}`}`,
          [],
        ),
      ),
    ],
    'govctl plan',
  );
}

/** Annotations of what a reviewer should not miss: blocked policies, edits outside git, deletions. */
export function planProblems(
  plan: Plan,
  blocked: readonly { readonly problem: Problem }[],
): Problem[] {
  return [
    ...blocked.map(({ problem }) => problem),
    ...plan.changes.flatMap((change): Problem[] => {
      const mark = changeMark(change);
      if (mark !== '!' && mark !== '-') return [];
      return [
        {
          ...(change.place ?? repoPlace),
          level: 'warning',
          code: mark === '-' ? 'delete' : change.cause,
          message: `${change.name}: ${change.action}: ${change.reason}`,
        },
      ];
    }),
  ];
}

/** Where a finding stands that no file of the repo says. */
const repoPlace = { file: 'govctl.yaml', line: 1, column: 1 };

export function driftMarkdown(
  project: string,
  summary: string,
  { drifted, missing }: DriftReport,
): string {
  return fitMarkdown(
    [`## govctl drift: ${escapeMarkdown(project)}`, escapeMarkdown(summary)],
    [
      ...missing.map(({ kind, key }) =>
        markdownItem(`- missing ${kindWord({ kind })}`.trimEnd(), key, missingReason, []),
      ),
      ...drifted.map(({ kind, key, name, fields, ...rest }) =>
        markdownItem(
          `! drifted ${kindWord({ kind })}`.trimEnd(),
          key ?? name,
          driftReason(rest),
          fieldLines(fields ?? [], blockColumns),
        ),
      ),
    ],
    'govctl drift',
  );
}

const driftReason = ({
  reason,
  edited_by: who,
  note,
}: Pick<Drifted, 'reason' | 'edited_by' | 'note'>): string =>
  [
    who === undefined ? reason : `${reason}, last by ${who}`,
    ...(note === undefined ? [] : [note]),
  ].join('; ');

/** What is known of a policy that is in the files and not live: nothing more, as there is no state file. */
export const missingReason = 'missing from the service: not applied yet, or deleted outside git';

export const driftProblems = ({ drifted, missing }: DriftReport): Problem[] => [
  ...drifted.map(({ name, id, place, ...rest }): Problem => ({
    ...(place ?? repoPlace),
    level: 'warning',
    code: 'drift',
    message: `${name} (${id}): ${driftReason(rest)}`,
  })),
  ...missing.map(({ name, place }): Problem => ({
    ...place,
    level: 'warning',
    code: 'missing',
    message: `${name}: ${missingReason}`,
  })),
];

export function applyMarkdown(
  project: string,
  summary: string,
  results: readonly ChangeResult[],
): string {
  // What went wrong comes first: it must not be what is cut off.
  const ordered = [...results].sort((a, b) => rank(a) - rank(b));
  return fitMarkdown(
    [`## govctl apply: ${escapeMarkdown(project)}`, escapeMarkdown(summary)],
    ordered.map(({ kind, status, action, key, error, warnings = [] }) =>
      markdownItem(
        status.replace('_', ' '),
        key,
        [`${action} ${kindWord({ kind })}`.trimEnd(), error?.message, ...warnings]
          .filter((part) => part)
          .join(' — '),
        [],
      ),
    ),
    'govctl apply',
  );
}

const rank = ({ status }: ChangeResult): number =>
  ['failed', 'not_attempted', 'applied', 'skipped'].indexOf(status);

export const applyProblems = (
  results: readonly (ChangeResult & {
    readonly place?: Pick<Problem, 'file' | 'line' | 'column'>;
  })[],
): Problem[] =>
  results.flatMap(({ name, action, error, warnings = [], place = repoPlace }): Problem[] => [
    ...(error
      ? [
          {
            ...place,
            level: 'error' as const,
            code: error.error,
            message: `${name}: ${action} failed: ${error.message}`,
            ...(error.hint ? { hint: error.hint } : {}),
          },
        ]
      : []),
    ...warnings.map((warning) => ({
      ...place,
      level: 'warning' as const,
      code: 'not-taken-over',
      message: `${name}: ${warning}`,
    })),
  ]);

function markdownItem(verb: string, key: string, what: string, lines: readonly DiffLine[]): string {
  const [shownKey, shownWhat] = [key, what].map((text) => escapeMarkdown(showUnseen(text)));
  const head = `- **${escapeMarkdown(verb)}** ${shownKey}: ${shownWhat}`;
  if (lines.length === 0) return head;
  // `!` colours a line in a diff block; the sign must stand first there.
  const text = lines.map(
    ({ sign, text: line, nested }) =>
      `${sign === '~' ? '!' : sign} ${nested ? '  ' : ''}${showUnseen(printable(line))}`,
  );
  // A fence longer than any in the text can't be closed by it.
  const longest = Math.max(2, ...(text.join('\n').match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return [head, '', `  ${fence}diff`, ...text.map((line) => `  ${line}`), `  ${fence}`].join('\n');
}

function fitMarkdown(head: readonly string[], items: readonly string[], command: string): string {
  const start = head.join('\n\n');
  let room = mostBytes - Buffer.byteLength(start) - 200;
  const shown: string[] = [];
  for (const item of items) {
    room -= Buffer.byteLength(item) + 1;
    if (room < 0) break;
    shown.push(item);
  }
  const hidden = items.length - shown.length;
  const tail = hidden > 0 ? `${count(hidden, 'more', 'more')}. Run \`${command}\` to see all.` : '';
  return `${[start, shown.join('\n'), tail].filter((part) => part !== '').join('\n\n')}\n`;
}
