import { hash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.ts';
import type { Policy } from '../../contract/policies.ts';
import type { CommandConfig } from '../config/config.ts';
import type { StoredAction } from './collection.ts';

export const sha256Of = (value: unknown): string => hash('sha256', canonicalJson(value), 'hex');

/** What a policy asks for, in 12 hex digits: another one where it is about other resources, or does something else. */
export const fingerprintOf = ({
  resource_type,
  rules,
  remediation_action,
}: Pick<Policy, 'resource_type' | 'rules' | 'remediation_action'>): string =>
  sha256Of({ resource_type, rules, remediation_action }).slice(0, 12);

/** What a command does, in 12 hex digits. Not the values of its variables, which may be secrets. */
export const commandFingerprint = ({ command, env, cwd }: CommandConfig): string =>
  sha256Of({ command, env: Object.keys(env).sort(), cwd }).slice(0, 12);

type Done = Pick<
  StoredAction,
  | 'policy_id'
  | 'fingerprint'
  | 'resource_id'
  | 'base'
  | 'method'
  | 'executor'
  | 'command_fingerprint'
  | 'patch'
>;

/** SHA-256 over what a plan does, in its order. */
export const digestOf = (planned: readonly Done[]): string =>
  sha256Of(
    planned.map((action) => ({
      policy_id: action.policy_id,
      fingerprint: action.fingerprint,
      resource_id: action.resource_id,
      base: action.base?.sha256,
      method: action.method,
      executor: action.executor,
      command_fingerprint: action.command_fingerprint,
      patch: action.patch,
    })),
  );
