import { GovctlError } from '../../contract/errors.ts';
import type { Approval } from '../../contract/remediations.ts';
import type { Guards, RemediationConfig } from '../config/config.ts';
import { defaultGuards } from './guards.ts';

/** What remediations may do on this server, with its defaults. */
export interface Settings {
  readonly approval: Approval;
  readonly guards: Guards;
  readonly parameters: Readonly<Record<string, string>>;
  /** What carries out patches of a type; undefined: nothing does. */
  executorOf(type: string): Executor | undefined;
}

/** `inventory` writes the patch into the inventory. */
type Executor = 'inventory';

export const settingsOf = (config: RemediationConfig = {}, isLocal: boolean): Settings => ({
  approval: config.approval ?? (isLocal ? 'none' : 'four_eyes'),
  guards: { ...defaultGuards, ...config.guards },
  parameters: config.parameters ?? {},
  // So that all of it can be tried where nothing real is changed.
  executorOf: () => (isLocal ? 'inventory' : undefined),
});

/** Refuses a plan with all guards that it violates. @throws GovctlError remediation_guard */
export function refuseGuarded(whyNot: readonly string[]): void {
  if (whyNot.length === 0) return;
  throw new GovctlError('remediation_guard', `Refused by a guard: ${whyNot.join('; ')}`, {
    hint: "Select fewer violations, or change remediation.guards in the server's configuration.",
    details: whyNot.map((message) => ({ field: 'guards', message })),
  });
}
