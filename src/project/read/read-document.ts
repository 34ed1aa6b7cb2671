import { isScalar } from 'yaml';
import type { Scalar } from 'yaml';
import type * as z from 'zod';
import { findEnforcementProblems } from '../../contract/enforcement.ts';
import { maxConditionLength } from '../../contract/policies.ts';
import type { PolicyInput } from '../../contract/policies.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { compileRule } from '../../engine/compile-rule.ts';
import { mostPatternParts } from '../../engine/condition/regex.ts';
import { findTooLong } from '../../engine/condition/too-long.ts';
import type { ConditionProblem } from '../../engine/condition/compile.ts';
import { checkAction } from '../../engine/remediation/check-action.ts';
import { whyUnfit } from '../../inventory/attributes/why-unfit.ts';
import type { SlipFinder } from './check-attributes.ts';
import { BudgetDocument } from '../documents/budget.ts';
import { ExemptionDocument } from '../documents/exemption.ts';
import { FrameworkDocument } from '../documents/framework.ts';
import { PolicyDocument } from '../documents/policy.ts';
import { PolicyTestDocument, testKeyOf } from '../documents/policy-test.ts';
import { ScheduleDocument } from '../documents/schedule.ts';
import { WebhookDocument } from '../documents/webhook.ts';
import type { Identity } from '../key.ts';
import { explainIssues } from './explain-issue.ts';
import { makeKey } from '../key.ts';
import { documentSpan, fieldSpan, locate, valueSpan } from './locate.ts';
import type { FieldPath } from './locate.ts';
import type {
  LocalBudget,
  LocalExemption,
  LocalFramework,
  LocalPolicy,
  LocalSchedule,
  LocalWebhook,
  OtherDocument,
  OtherKind,
  Problem,
} from '../model.ts';
import type { RawDocument } from './parse-yaml.ts';
import { spanOf } from './parse-yaml.ts';
import { budgetIdentity, readBudget } from './read-budget.ts';
import { exemptionIdentity, readExemption } from './read-exemption.ts';
import { frameworkIdentity, readFramework } from './read-framework.ts';
import { readSchedule, scheduleIdentity } from './read-schedule.ts';
import { readWebhook, webhookIdentity } from './read-webhook.ts';
import { scalarOffsets } from './scalar-offsets.ts';
import { problemAt } from './source.ts';
import type { Finding, Source, Span } from './source.ts';

export type Kind = 'Policy' | OtherKind;
const kinds: readonly Kind[] = [
  'Policy',
  'Schedule',
  'Webhook',
  'Exemption',
  'Framework',
  'Budget',
  'PolicyTest',
];

const otherSchemas: Readonly<Record<OtherKind, z.ZodType<Record<string, unknown>>>> = {
  Schedule: ScheduleDocument,
  Webhook: WebhookDocument,
  Exemption: ExemptionDocument,
  Framework: FrameworkDocument,
  Budget: BudgetDocument,
  PolicyTest: PolicyTestDocument,
};

/** What a document is that does not say its kind: files called `*.test.yaml` hold tests. */
export const presetKind = (file: string): Kind =>
  /\.test\.ya?ml$/i.test(file) ? 'PolicyTest' : 'Policy';

/**
 * Whether a file, by its name and its text, holds one document, of tests, and can hold nothing else: there are no
 * separators, no other kind is mentioned, and no escape could spell one.
 */
export function holdsTestsAlone(file: string, text: string): boolean {
  if (presetKind(file) !== 'PolicyTest' || /^(---|\.\.\.|%)|\\/m.test(text)) return false;
  const kinds = text.match(/kind/gi)?.length ?? 0;
  return kinds === 0
    ? /^policy:/m.test(text) && /^cases:/m.test(text)
    : kinds === 1 && /^kind: PolicyTest$/m.test(text);
}

/** The schema of a kind, if there is such a kind. */
export function schemaOf(kind: unknown): z.ZodType | undefined {
  if (!isKind(kind)) return undefined;
  return kind === 'Policy' ? PolicyDocument : otherSchemas[kind];
}

export interface ReadDocument {
  readonly policy?: LocalPolicy;
  readonly identity?: Identity;
  readonly webhook?: LocalWebhook;
  readonly schedule?: LocalSchedule;
  readonly exemption?: LocalExemption;
  readonly framework?: LocalFramework;
  readonly budget?: LocalBudget;
  readonly other?: OtherDocument;
  /** The `compliance_frameworks` of a policy, even where the rest of it is wrong. */
  readonly labels?: readonly unknown[];
  readonly problems: readonly Problem[];
}

/** Reads one document as the kind it says it is, `preset` where it says none. */
export function readDocument(
  source: Source,
  raw: RawDocument,
  preset: Kind,
  slips: SlipFinder,
): ReadDocument {
  const { value } = raw;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse(source, spanOf(raw.node), {
      code: 'not-a-document',
      message: 'a document must be a map of fields, such as name, resource_type and rules',
      hint: 'If the file contains no policies, add it to .govctlignore.',
    });
  }
  const fields = value as Record<string, unknown>;
  const kind = Object.hasOwn(fields, 'kind') ? fields.kind : preset;
  if (!isKind(kind)) return refuse(source, fieldSpan(source, raw, ['kind']), kindFinding(kind));
  return kind === 'Policy'
    ? readPolicy(source, raw, fields, slips)
    : readOther(source, raw, kind, fields);
}

const isKind = (kind: unknown): kind is Kind => kinds.some((known) => known === kind);

function kindFinding(kind: unknown) {
  const nearest = typeof kind === 'string' ? nearestWord(kind, kinds) : undefined;
  const foreign = typeof kind === 'string' && !nearest;
  return {
    code: 'unknown-kind',
    message: `kind must be one of ${kinds.join(', ')}, but is ${JSON.stringify(kind)}`,
    hint: nearest
      ? `Did you mean ${nearest}?`
      : foreign
        ? 'If the file belongs to another tool, add it to .govctlignore.'
        : undefined,
  };
}

function refuse(source: Source, span: Span, finding: Parameters<typeof problemAt>[2]) {
  return { problems: [problemAt(source, span, finding)] };
}

function readPolicy(
  source: Source,
  raw: RawDocument,
  fields: Record<string, unknown>,
  slips: SlipFinder,
): ReadDocument {
  if (!['name', 'resource_type', 'rules'].some((field) => Object.hasOwn(fields, field))) {
    return refuse(source, documentSpan(raw), {
      code: 'not-a-document',
      message: 'not a policy: name, resource_type and rules are missing',
      hint: `If the file belongs to another tool, add it to .govctlignore; otherwise add kind: ${kinds.join(' | ')}.`,
    });
  }
  const parsed = PolicyDocument.safeParse(fields);
  const conditions = [
    ...typeProblems(source, raw, fields, slips),
    ...tagProblems(source, raw, fields),
    // Those of the policy itself where there is one: it will be prepared.
    ...conditionProblems(source, raw, parsed.data ?? fields, slips),
    ...(parsed.success ? actionProblems(source, raw, parsed.data) : []),
  ];
  const { compliance_frameworks: labels } = fields;
  const known = { ...identityOf(fields), ...(Array.isArray(labels) ? { labels } : {}) };
  if (!parsed.success) {
    const issues = explainIssues(source, raw, parsed.error.issues, PolicyDocument);
    return { ...known, problems: [...issues, ...conditions] };
  }
  const { key, ...policy } = parsed.data;
  delete policy.kind;
  const read: LocalPolicy = {
    key: key ?? known.identity?.key ?? makeKey(policy.name),
    policy: policy satisfies PolicyInput,
    place: source.place(documentSpan(raw).start),
  };
  return { ...known, policy: read, problems: conditions };
}

function identityOf({ name, key }: Record<string, unknown>): { identity?: Identity } {
  if (typeof name !== 'string') return {};
  const given = typeof key === 'string' ? { key, keyField: 'key' as const } : undefined;
  const made = { key: makeKey(name), keyField: 'name' as const };
  return { identity: { kind: 'Policy', name, ...(given ?? made) } };
}

function typeProblems(
  source: Source,
  raw: RawDocument,
  { resource_type: type }: Record<string, unknown>,
  finder: SlipFinder,
): Problem[] {
  const slip = typeof type === 'string' ? finder.findTypeSlip(type) : undefined;
  return slip ? [problemAt(source, fieldSpan(source, raw, ['resource_type']), slip)] : [];
}

/** An enforcement that doesn't exist would leave the policy without one, silently. */
function tagProblems(
  source: Source,
  raw: RawDocument,
  { tags }: Record<string, unknown>,
): Problem[] {
  if (!Array.isArray(tags)) return [];
  return findEnforcementProblems(tags).map(({ index, message, hint }) =>
    problemAt(source, fieldSpan(source, raw, ['tags', index]), {
      code: 'enforcement',
      message,
      hint,
    }),
  );
}

/** What a server would refuse. */
function actionProblems(
  source: Source,
  raw: RawDocument,
  { remediation_action: text, resource_type: type, rules }: PolicyInput,
): Problem[] {
  if (!text) return [];
  const problem = checkAction({
    text,
    rules,
    whyUnfit: (attribute, value) => whyUnfit(type, attribute, value),
  });
  if (problem === undefined) return [];
  return [
    problemAt(source, fieldSpan(source, raw, ['remediation_action']), {
      code: 'remediation-action',
      message: `remediation_action ${problem}`,
      hint: undefined,
    }),
  ];
}

/** Compiles what is there, even where other fields are wrong: all findings at once. */
function conditionProblems(
  source: Source,
  raw: RawDocument,
  fields: Record<string, unknown>,
  finder: SlipFinder,
): Problem[] {
  const { resource_type: type } = fields;
  const rules = Object.hasOwn(fields, 'rules') ? fields.rules : undefined;
  if (!Array.isArray(rules)) return [];
  const problems: Problem[] = [];
  const texts = (rules as unknown[]).map((rule) => (hasCondition(rule) ? rule.condition : ''));
  const tooLong = findTooLong(texts, 'policy');
  if (tooLong) {
    // One that is too long alone is refused as a field.
    if ((texts[tooLong.at] ?? '').length > maxConditionLength) return [];
    const path: FieldPath = ['rules', tooLong.at, 'condition'];
    const span = conditionSpan(source, raw, path, { offset: 0, end: 0 });
    const { message } = tooLong;
    const hint = 'Move rules to other policies.';
    return [problemAt(source, span, { code: 'condition', message, hint })];
  }
  const room = { left: mostPatternParts };
  for (const [index, rule] of (rules as unknown[]).entries()) {
    if (!hasCondition(rule)) continue;
    const compiled = compileRule(rule, room);
    const path: FieldPath = ['rules', index, 'condition'];
    if (compiled.ok) {
      const slips = typeof type === 'string' ? finder.findSlips(compiled.condition, type) : [];
      problems.push(
        ...slips.map((slip) => problemAt(source, conditionSpan(source, raw, path, slip), slip)),
      );
      continue;
    }
    const { problem } = compiled;
    problems.push(
      problemAt(source, conditionSpan(source, raw, path, problem), {
        code: 'condition',
        message: `rules[${index}].condition: ${problem.message}`,
        hint: problem.suggestion ? `Did you mean ${problem.suggestion}?` : undefined,
      }),
    );
  }
  return problems;
}

const hasCondition = (rule: unknown): rule is { readonly condition: string } =>
  typeof rule === 'object' &&
  rule !== null &&
  'condition' in rule &&
  typeof rule.condition === 'string' &&
  rule.condition !== '';

/** Where a place inside a condition stands in the file. */
function conditionSpan(
  source: Source,
  raw: RawDocument,
  path: FieldPath,
  problem: Pick<ConditionProblem, 'offset' | 'end'>,
): Span {
  const located = locate(raw, path);
  if (isScalar(located.node)) {
    const offsets = scalarOffsets(source.text, located.node as Scalar);
    const start = offsets?.[problem.offset];
    const last = offsets?.[Math.max(problem.end - 1, problem.offset)];
    if (start !== undefined) return { start, end: Math.max(start, last ?? start) + 1 };
  }
  return valueSpan(located, source.text);
}

function readOther(
  source: Source,
  raw: RawDocument,
  kind: OtherKind,
  fields: Record<string, unknown>,
): ReadDocument {
  const schema = otherSchemas[kind];
  const parsed = schema.safeParse(fields);
  if (!parsed.success) {
    const { issues } = parsed.error;
    const special = kind === 'PolicyTest' ? inputFinding : undefined;
    const problems = explainIssues(source, raw, issues, schema, special);
    return { ...identityOfOther(kind, fields), problems };
  }
  const document = parsed.data;
  const other: OtherDocument = {
    kind,
    title: titleOf(document, source.file),
    document,
    place: source.place(documentSpan(raw).start),
  };
  if (kind === 'Webhook') {
    return { other, ...readWebhook(source, raw, WebhookDocument.parse(fields)) };
  }
  if (kind === 'Schedule') {
    return { other, ...readSchedule(source, raw, ScheduleDocument.parse(fields)) };
  }
  if (kind === 'Exemption') {
    return { other, ...readExemption(ExemptionDocument.parse(fields), other.place), problems: [] };
  }
  if (kind === 'Framework') {
    return { other, ...readFramework(source, raw, FrameworkDocument.parse(fields)) };
  }
  if (kind === 'Budget') {
    return { other, ...readBudget(BudgetDocument.parse(fields), other.place), problems: [] };
  }
  return { other, problems: [] };
}

/** A field of a template or a plan that stands in a case's `input` itself: it belongs a level deeper. */
function inputFinding(name: string, path: FieldPath): Finding | undefined {
  const [cases, index, input, ...inner] = path;
  const key = cases === 'cases' && input === 'input' && inner.length === 0 && testKeyOf(name);
  if (typeof key !== 'string') return undefined;
  return {
    code: 'unknown-field',
    message: `unknown field "${name}" in cases[${index}].input`,
    hint: `Move the input under ${key}: input: {${key}: {${name}: …}}. Or set ${key} to a file name.`,
  };
}

/** What a document is known by, even where the rest of it is wrong. */
function identityOfOther(
  kind: OtherKind,
  fields: Readonly<Record<string, unknown>>,
): { identity?: Identity } {
  if (kind === 'Webhook') return webhookIdentity(fields);
  if (kind === 'Exemption') return exemptionIdentity(fields);
  if (kind === 'Framework') return frameworkIdentity(fields);
  if (kind === 'Budget') return budgetIdentity(fields);
  return kind === 'Schedule' ? scheduleIdentity(fields) : {};
}

function titleOf(document: Record<string, unknown>, file: string): string {
  for (const field of ['name', 'policy', 'url', 'key']) {
    const value = document[field];
    if (typeof value === 'string') return value;
  }
  return file;
}
