import type { Rule } from '../../contract/policies.ts';
import { actOf, readRemediationAction } from '../../contract/remediation-action.ts';
import { compileRule } from '../compile-rule.ts';
import { attributesOf } from '../condition/program.ts';
import { leavesOf } from './patch.ts';
import type { Patch } from './patch.ts';

/** What a resource is, and where: a patch is about its settings. */
const fixed: ReadonlySet<string> = new Set([
  'id',
  'type',
  'provider',
  'account_id',
  'region',
  'environment',
]);
/** Objects within each other. */
const maxDepth = 16;
/** Values that one patch sets. */
const maxLeaves = 100;

export interface CheckedAction {
  readonly text: string;
  /** The policy's: a patch must change something that their conditions read. */
  readonly rules: readonly Rule[];
  /** Why a value does not fit an attribute of the type, if it does not. */
  readonly whyUnfit: (attribute: string, value: unknown) => string | undefined;
}

/** What is wrong with the `remediation_action` of a policy, if anything is. */
export function checkAction({ text, rules, whyUnfit }: CheckedAction): string | undefined {
  const action = actOf(readRemediationAction(text));
  if (action.kind === 'webhook') return whyNoAddress(action.url);
  if (action.kind === 'exec') {
    return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(action.name)
      ? undefined
      : 'must be a command of the server, such as exec:close-bucket';
  }
  if (action.kind === 'patch') return checkPatch(action.patch, rules, whyUnfit);
  if (action.kind !== 'other') return undefined;
  if (text.startsWith('notify:')) {
    return 'must be a JSON object with after_days (1 to 365) after notify:, such as notify:{"after_days":7,"then":"exec:close-bucket"}; then is a patch:, exec: or webhook: action';
  }
  return text.startsWith('patch:')
    ? 'must be a JSON object after patch:, such as patch:{"versioning":{"enabled":true}}'
    : undefined;
}

function checkPatch(
  patch: Patch,
  rules: readonly Rule[],
  whyUnfit: CheckedAction['whyUnfit'],
): string | undefined {
  if (depthOf(patch) > maxDepth) return `is nested deeper than ${maxDepth} levels`;
  const touched = Object.keys(patch).find((name) => fixed.has(name));
  if (touched !== undefined) return `must not change ${touched} of a resource`;
  const leaves = leavesOf(patch);
  if (leaves.length === 0) return 'changes nothing';
  if (leaves.length > maxLeaves) return `changes more than ${maxLeaves} values`;
  for (const [attribute, value] of leaves) {
    const why = whyUnfit(attribute, value);
    if (why !== undefined) return `${attribute} ${why}`;
  }
  const read = new Set(rules.flatMap(attributesRead).map(firstStep));
  // Settings of one attribute depend on each other, and all attributes of a template's resource on its properties.
  const isRead =
    read.has(undefined) ||
    read.has('properties') ||
    Object.keys(patch).some((name) => read.has(name));
  if (isRead) return undefined;
  const first = leaves[0]?.[0] ?? '';
  return `changes ${first}, which no condition of the policy reads, so it can't make the policy pass`;
}

function attributesRead(rule: Rule): string[] {
  const compiled = compileRule(rule);
  return compiled.ok ? [...attributesOf(compiled.condition.program.root)] : [];
}

/** `tags` of `resource.tags["team"]`; undefined: what is read is found out only when it runs, or it is the whole resource. */
function firstStep(path: string): string | undefined {
  const [, name, quoted] =
    /^\.\??([A-Za-z_]\w*)|^\[\??("(?:[^"\\]|\\.)*")\]/.exec(path.replace(/^resource\b/, '')) ?? [];
  return name ?? (quoted === undefined ? undefined : unquoted(quoted));
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

function depthOf(value: unknown): number {
  let depth = 0;
  for (let level: unknown[] = [value]; level.length > 0 && depth <= maxDepth; depth += 1) {
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null
        ? Object.values(one).filter((inner) => typeof inner === 'object' && inner !== null)
        : [],
    );
  }
  return depth;
}

function whyNoAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL after webhook:, such as webhook:https://…';
  const { protocol, username, password, hash, hostname } = new URL(text);
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && isHere)) {
    return 'must be a URL that begins with https://';
  }
  if (username !== '' || password !== '') return 'must not contain a user name or password';
  return hash === '' ? undefined : 'must not contain a fragment (#)';
}
