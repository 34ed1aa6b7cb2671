import { budgetObjects, isPathMissing } from '../../client/objects.ts';
import { budgetFields, defaultThresholds } from '../../contract/budgets.ts';
import type { BudgetThreshold } from '../../contract/budgets.ts';
import { byCodeUnit, canonicalJson } from '../../contract/canonical-json.ts';
import { fingerprint } from '../compare/fingerprint.ts';
import { isOwnershipTag } from '../compare/ownership.ts';
import { makeKey } from '../key.ts';
import type { LocalBudget } from '../model.ts';
import { diffObjects } from './diff-objects.ts';
import type { Body, Kind, LiveItem, LocalDocument } from './kind.ts';
import { sayFields } from './say-fields.ts';

const defaults: Readonly<Record<string, unknown>> = {
  metric: 'billed',
  thresholds: defaultThresholds,
  filter: {},
};

/** What a budget says, in one spelling for each meaning: without defaults, but for the period, which people look for. */
function normalise(body: Body, ownership: 'kept' | 'dropped'): Body {
  const tags = (Array.isArray(body.tags) ? body.tags.map(String) : []).filter(
    (tag) => ownership === 'kept' || !isOwnershipTag(tag),
  );
  const fields = {
    ...body,
    period: body.period ?? 'month',
    tags: tags.length > 0 ? [...new Set(tags)].sort(byCodeUnit) : undefined,
  };
  return Object.fromEntries(
    budgetFields.flatMap((field) => {
      const value: unknown = fields[field as keyof typeof fields];
      const isDefault = canonicalJson(value ?? null) === canonicalJson(defaults[field] ?? null);
      return value === undefined || value === null || value === '' || isDefault
        ? []
        : [[field, value] as const];
    }),
  );
}

/** Whoever hands a body to this kind got it as a budget: from a file, an answer or a plan, each parsed as one. */
const thresholdsOf = ({ thresholds }: Body): readonly BudgetThreshold[] =>
  (thresholds ?? defaultThresholds) as readonly BudgetThreshold[];

/** `80%, 100%, forecast 100%`. */
const sayThresholds = (body: Body): string | undefined =>
  thresholdsOf(body)
    .map(({ percent, on }) => `${on === 'forecast' ? 'forecast ' : ''}${percent}%`)
    .join(', ') || undefined;

/** How much of another amount is spent already, as the service last said. */
function noteOn({ key, body }: LocalDocument, { status, amount }: LiveItem): string | undefined {
  if (typeof status !== 'object' || status === null || amount === body.amount) return undefined;
  const { spent, period } = status as Body;
  const percent = Math.floor((Number(spent) / Number(body.amount)) * 100);
  if (!Number.isFinite(percent)) return undefined;
  return `Budget ${key}: ${percent}% of the new amount is spent in ${String(period)}.`;
}

export const budgetKind: Kind = {
  name: 'Budget',
  noun: { one: 'budget', many: 'budgets' },
  objects: budgetObjects,
  isOurs: true,
  isMissing: isPathMissing,
  hasOwnScope: true,
  fields: budgetFields,
  writeOnly: [],
  identity: 'name',
  isUnique: true,
  guardsEmpty: false,
  changed: 'file changed',
  turn: { write: 2, delete: 2 },
  keepsTags: async () => true,
  titleOf: ({ name }) => String(name),
  keyOf: ({ name }) => makeKey(String(name)),
  identityOf: ({ name }) => String(name),
  content: (body) => normalise(body, 'dropped'),
  state: (body) => normalise(body, 'kept'),
  hash: (normal) => fingerprint(normal),
  diffField: diffObjects,
  outline: (body) => [
    `${String(body.amount)} ${String(body.currency)} per ${String(body.period ?? 'month')}`,
    body.metric === 'effective' ? 'effective cost' : undefined,
    ...sayFilter(body.filter),
    sayThresholds(body),
  ],
  outlined: ['amount', 'currency', 'period', 'metric', 'filter', 'thresholds'],
  wanted: ({ body }) => ({ real: body, shown: body }),
  shownLive: (live) => live,
  beyondContent: () => undefined,
  noteOn,
  reveal: (_key, shown) => shown,
  withoutExtensions: () => undefined,
};

function sayFilter(filter: unknown): string[] {
  const { tags, ...fields } = (filter ?? {}) as { readonly tags?: object }; // as `thresholdsOf`
  return [...sayFields(fields), ...(tags ? sayFields(tags).map((tag) => `tag ${tag}`) : [])];
}

export const budgetDocument = ({ key, budget, place }: LocalBudget): LocalDocument => ({
  kind: budgetKind,
  key,
  written: budget,
  body: budget,
  place,
});
