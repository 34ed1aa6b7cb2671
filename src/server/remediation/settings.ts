import { GovctlError } from '../../contract/errors.ts';
import type { Action, Approval } from '../../contract/remediations.ts';
import { isTypePattern, matchesType } from '../../contract/resources.ts';
import type { AutoMode, CommandConfig, Guards, RemediationConfig } from '../config/config.ts';
import { defaultGuards } from './guards.ts';

/** What remediations may do on this server, with its defaults. */
export interface Settings {
  readonly approval: Approval;
  readonly guards: Guards;
  readonly parameters: Readonly<Record<string, string>>;
  /** What auto_remediation does: it carries out its plans, or only makes them, or neither. */
  readonly auto: AutoMode;
  /** Actions that auto_remediation plans in an hour, per policy. */
  readonly rate: number;
  /** Policies, as `pol_…@fingerprint`, whose exec: and webhook: actions auto_remediation carries out without approval. */
  readonly autoCommands: ReadonlySet<string>;
  readonly isLocal: boolean;
  readonly commands: Readonly<Record<string, CommandConfig>>;
  /** What requests are signed with, by host. */
  readonly webhooks: Readonly<Record<string, { readonly secret: string }>>;
  /** What carries out patches of a type: `inventory`, `exec:NAME` or `webhook:URL`; undefined: nothing does. */
  executorOf(type: string): string | undefined;
}

export const settingsOf = (config: RemediationConfig = {}, isLocal: boolean): Settings => ({
  approval: config.approval ?? (isLocal ? 'none' : 'four_eyes'),
  guards: { ...defaultGuards, ...config.guards },
  parameters: config.parameters ?? {},
  isLocal,
  commands: config.commands ?? {},
  webhooks: config.webhooks ?? {},
  auto: config.auto ?? (isLocal ? 'run' : 'plan'),
  rate: config.rate ?? 20,
  autoCommands: new Set(config.auto_commands),
  // So that all of it can be tried where nothing real is changed.
  executorOf: (type) =>
    boundTo(config.executors ?? {}, type) ?? (isLocal ? 'inventory' : undefined),
});

/** The executor of the type itself, else of the longest pattern that it matches. */
function boundTo(executors: NonNullable<RemediationConfig['executors']>, type: string) {
  const [first] = Object.entries(executors)
    .filter(([wanted]) => matchesType(wanted, type))
    .sort(([a], [b]) => Number(isTypePattern(a)) - Number(isTypePattern(b)) || b.length - a.length);
  return first?.[1];
}

/** Whether an action is carried out by something outside of this server. */
export const isOutside = ({ executor = 'inventory' }: Pick<Action, 'executor'>): boolean =>
  executor !== 'inventory';

/**
 * Commands and webhooks change real resources: they require two people whatever is configured, except for requests from this machine to a local server.
 * @param isLocal whether the request is, see `PublicCall`
 */
export const approvalOf = (
  { approval, isLocal: isLocalServer }: Settings,
  planned: readonly Pick<Action, 'executor'>[],
  isLocal: boolean,
): Approval => (!(isLocalServer && isLocal) && planned.some(isOutside) ? 'four_eyes' : approval);

/** Refuses a plan with all guards that it violates. @throws GovctlError remediation_guard */
export function refuseGuarded(whyNot: readonly string[]): void {
  if (whyNot.length === 0) return;
  throw new GovctlError('remediation_guard', `Refused by a guard: ${whyNot.join('; ')}`, {
    hint: "Select fewer violations, or change remediation.guards in the server's configuration.",
    details: whyNot.map((message) => ({ field: 'guards', message })),
  });
}
