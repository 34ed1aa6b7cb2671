import { exitCodes } from '../../contract/errors.ts';
import type { Comparison } from '../../project/compare/compare.ts';
import { policyToYaml } from '../../project/write/export.ts';
import { changedFields } from '../../project/plan/plan.ts';
import type { PolicyLike } from '../../project/compare/fingerprint.ts';
import { normalisePolicy } from '../../project/compare/fingerprint.ts';
import type { Run } from '../context.ts';
import { escapeMarkdown } from '../report/markdown.ts';
import { count, printable, printableLine } from '../report/printable.ts';
import type { Style } from '../terminal.ts';
import { createStyle } from '../terminal.ts';
import type { DiffLine } from './change-lines.ts';
import { lineDiff } from './change-lines.ts';
import { planView } from './plan-view.ts';
import type { SelectionOptions } from './prepare.ts';
import { preparePlan } from './prepare.ts';

interface DiffOptions extends SelectionOptions {
  readonly args: [paths: string[]];
}

/** One policy that is not the same on both sides. */
interface Difference {
  readonly key: string;
  readonly live: string;
  readonly git: string;
  readonly lines: readonly DiffLine[];
}

/** Compares what is live with what git says, as text. 2 when they differ. */
export const runDiff: Run<DiffOptions> = async (context, options) => {
  const prepared = await preparePlan(context, options.args[0], options);
  const { plan, blocked, notes, comparisons } = prepared;
  const differences = comparisons.flatMap((each) =>
    describeDifference(each, plan.project, options.prune ?? false),
  );
  const verdict =
    differences.length === 0
      ? 'No differences between the service and git.'
      : `${count(differences.length, 'policy differs', 'policies differ')} between the service and git.`;
  const view = planView(context, plan, blocked, notes);
  const isDifferent = new Set(differences.map(({ key }) => key));
  const changes = plan.changes.filter((change) => isDifferent.has(change.key));
  await context.show({
    value: {
      summary: { different: differences.length, unchanged: plan.summary.unchanged },
      changes: changes.map((change) => ({
        action: change.action,
        key: change.key,
        name: change.name,
        id: change.id,
        fields: changedFields(change),
        reason: change.reason,
      })),
      orphans: plan.orphans,
      diff: differences.map(renderPlain).join(''),
    },
    rows: () => changes,
    human: (style) =>
      `${differences.map((each) => `${renderDifference(each, style)}\n`).join('')}${[...notes, verdict].map(printable).join('\n')}\n`,
    more: {
      markdown: () => renderMarkdownDiff(verdict, differences),
      ...(view.more?.github ? { github: view.more.github } : {}),
    },
  });
  return differences.length + blocked.length > 0 ? exitCodes.verdict : exitCodes.ok;
};

/** Changes of tags that are only govctl's own are no difference; nor is what is live without a file, unless pruned. */
function describeDifference(comparison: Comparison, project: string, prune: boolean): Difference[] {
  const text = (policy: PolicyLike, key: string): string[] =>
    policyToYaml(normalisePolicy(policy), key).trimEnd().split('\n');
  const make = (key: string, live: string, git: string, old: string[], next: string[]) => [
    { key, live, git, lines: lineDiff(old, next, 3) },
  ];
  switch (comparison.kind) {
    case 'create': {
      const { key, policy, place } = comparison.local;
      return make(key, 'nothing', place.file, [], text(policy, key));
    }
    case 'update': {
      const { local, live } = comparison;
      const [old, next] = [text(live.policy, local.key), text(local.policy, local.key)];
      if (old.join('\n') === next.join('\n')) return [];
      return make(local.key, `live ${live.policy.id}`, local.place.file, old, next);
    }
    case 'blocked': {
      const { local, others } = comparison;
      const [other] = others;
      const old = other ? text(other.policy, local.key) : [];
      return make(
        local.key,
        `live ${other?.policy.id ?? ''} (not ${project}'s, or not certain)`,
        local.place.file,
        old,
        text(local.policy, local.key),
      );
    }
    case 'orphan': {
      if (!prune) return [];
      const { policy, ownership } = comparison.live;
      const key = ownership.key ?? policy.id;
      return make(key, `live ${policy.id}`, 'nothing', text(policy, key), []);
    }
    case 'unchanged':
      return [];
  }
}

function renderDifference({ key, live, git, lines }: Difference, style: Style): string {
  const head = [
    style.bold(`--- ${printableLine(key)}  ${printableLine(live)}`),
    style.bold(`+++ ${printableLine(key)}  ${printableLine(git)}`),
  ];
  const body = lines.map(({ sign, text }) => {
    const shown = printable(text);
    if (sign === '+') return style.green(`+${shown}`);
    if (sign === '-') return style.red(`-${shown}`);
    return style.dim(sign === '…' ? '@@ …' : ` ${shown}`);
  });
  return `${[...head, ...body].join('\n')}\n`;
}

const renderPlain = (difference: Difference): string =>
  renderDifference(difference, createStyle(false));

/** Bytes; the summary is first, so it is the end that goes. */
const mostBytes = 60_000;

function renderMarkdownDiff(verdict: string, differences: readonly Difference[]): string {
  const head = `## govctl diff\n\n${escapeMarkdown(verdict)}\n`;
  if (differences.length === 0) return head;
  let room = mostBytes - Buffer.byteLength(head) - 200;
  const shown: string[] = [];
  for (const text of differences.map(renderPlain)) {
    room -= Buffer.byteLength(text) + 1;
    if (room < 0) break;
    shown.push(text);
  }
  const hidden = differences.length - shown.length;
  const body = shown.join('\n');
  const fence = '`'.repeat(Math.max(2, ...(body.match(/`+/g) ?? []).map((run) => run.length)) + 1);
  const tail = hidden > 0 ? `\n${hidden} more: run \`govctl diff\` to see them all.\n` : '';
  return `${head}\n${fence}diff\n${body}${fence}\n${tail}`;
}
