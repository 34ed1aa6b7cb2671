import { exitCodes } from '../../contract/errors.ts';
import type { Comparison } from '../../project/compare/comparison.ts';
import type { Body, Kind, KindName, LocalDocument, Wanted } from '../../project/kinds/kind.ts';
import { kindField } from '../../project/kinds/kind.ts';
import { nounOf } from '../../project/kinds/kinds.ts';
import { changedFields } from '../../project/plan/change.ts';
import type { SelectionOptions } from '../../project/plan/prepare.ts';
import { preparePlan } from '../../project/plan/prepare.ts';
import { documentToYaml } from '../../project/write/export.ts';
import type { Run } from '../context.ts';
import { escapeMarkdown } from '../formats/markdown.ts';
import { count, printable, printableLine, showUnseen } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import { createStyle } from '../terminal/terminal.ts';
import type { DiffLine } from './change-lines.ts';
import { lineDiff } from './change-lines.ts';
import { withOutside } from './outside.ts';
import { planView } from './plan-view.ts';

interface DiffOptions extends SelectionOptions {
  readonly args: [paths: string[]];
}

/** One document that is not the same on both sides. */
interface Difference {
  readonly kind: KindName;
  readonly key: string;
  readonly live: string;
  readonly git: string;
  readonly lines: readonly DiffLine[];
}

/** Compares what is live with what git says, as text. 2 when they differ. */
export const runDiff: Run<DiffOptions> = async (context, options) => {
  const prepared = await withOutside(context, (outside) =>
    preparePlan(outside, options.args[0], options),
  );
  const { plan, blocked, notes, comparisons } = prepared;
  const differences = comparisons.flatMap((each) =>
    describeDifference(each, plan.project, options.prune ?? false),
  );
  const { one, many } = nounOf(differences);
  const verdict =
    differences.length === 0
      ? 'No differences between the service and git.'
      : `${count(differences.length, `${one} differs`, `${many} differ`)} between the service and git.`;
  const view = planView(context, plan, { blocked, notes });
  const isDifferent = new Set(differences.map(({ kind, key }) => `${kind} ${key}`));
  const changes = plan.changes.filter(({ kind = 'Policy', key }) =>
    isDifferent.has(`${kind} ${key}`),
  );
  await context.show({
    value: {
      summary: { different: differences.length, unchanged: plan.summary.unchanged },
      changes: changes.map((change) => ({
        ...kindField(change.kind),
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
  switch (comparison.kind) {
    case 'create': {
      const { local, wanted } = comparison;
      return [differenceOf(sidesOf(local, 'nothing'), null, wanted.shown)];
    }
    case 'update': {
      const { local, live, wanted } = comparison;
      const before = local.kind.shownLive(live.item, wanted);
      const said = `live ${live.item.id}`;
      const difference = differenceOf(sidesOf(local, said), before, wanted.shown);
      return difference.lines.some(({ sign }) => sign === '+' || sign === '-') ? [difference] : [];
    }
    case 'blocked': {
      const { local, others } = comparison;
      const [other] = others;
      const wanted = wantedOf(local);
      const before = other ? local.kind.shownLive(other.item, wanted) : null;
      const said = `live ${other?.item.id ?? ''} (not owned by ${project}, or ownership unknown)`;
      return [differenceOf(sidesOf(local, said), before, wanted.shown)];
    }
    case 'orphan': {
      if (!prune) return [];
      const { kind, item, ownership } = comparison.live;
      const before = kind.shownLive(item, null);
      const key = ownership.key ?? item.id;
      return [differenceOf({ kind, key, live: `live ${item.id}`, git: 'nothing' }, before, null)];
    }
    case 'unchanged':
    case 'over':
      return [];
  }
}

const wantedOf = (local: LocalDocument): Wanted => local.kind.wanted(local, undefined, true);

/** A document and what its two sides are called. */
interface Sides extends Pick<Difference, 'key' | 'live' | 'git'> {
  readonly kind: Kind;
}

const sidesOf = ({ kind, key, place }: LocalDocument, live: string): Sides => ({
  kind,
  key,
  live,
  git: place.file,
});

function differenceOf(
  { kind, ...sides }: Sides,
  before: Body | null,
  after: Body | null,
): Difference {
  const text = (body: Body | null): string[] =>
    body ? documentToYaml(kind, body, sides.key).trimEnd().split('\n') : [];
  const lines = lineDiff(text(before), text(after), 3);
  return { kind: kind.name, ...sides, lines };
}

function renderDifference({ key, live, git, lines }: Difference, style: Style): string {
  const head = [
    style.bold(`--- ${printableLine(key)}  ${printableLine(live)}`),
    style.bold(`+++ ${printableLine(key)}  ${printableLine(git)}`),
  ];
  const body = lines.map(({ sign, text }) => {
    const shown = showUnseen(printable(text));
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
  const tail = hidden > 0 ? `\n${hidden} more. Run \`govctl diff\` to see all.\n` : '';
  return `${head}\n${fence}diff\n${body}${fence}\n${tail}`;
}
