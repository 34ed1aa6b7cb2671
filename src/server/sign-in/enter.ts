import { defined } from '../../contract/defined.ts';
import { recordAudit } from '../audit/service.ts';
import { retireBootstrapKey } from '../auth/service.ts';
import type { CompanyConfig } from '../config/config.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { emit } from '../events/emit.ts';
import { networkOf } from '../http/address.ts';
import { hashSecret, newSecret } from '../keys/hashed-secrets.ts';
import type { Send } from '../outbound/send.ts';
import type { Tx } from '../store/store.ts';
import { users } from '../users/collection.ts';
import type { StoredUser } from '../users/collection.ts';
import { scopesOfUser } from '../users/service.ts';
import type { Belongings } from '../users/service.ts';
import type { FailureLog } from './failures.ts';
import type { Hashing } from './hashing.ts';
import type { Cost } from './password.ts';
import { beginSession, mustHaveSecondFactor, showSession } from './sessions.ts';
import type { Counted, Tries } from './tries.ts';
import type { Entered, Later, Refused, Visitor } from './types.ts';

/** What the ways to sign in share. */
export interface Parts {
  readonly deps: Deps;
  readonly cost: Cost;
  readonly tries: Tries;
  readonly hashing: Hashing;
  readonly failures: FailureLog;
  readonly belongings: Belongings;
  /** The base URL of the service. */
  readonly baseUrl: () => string;
  /** Only this machine can reach the server. */
  readonly isLocal: boolean;
  /** Absent: nobody signs in with a company account. */
  readonly company?: CompanyParts | undefined;
}

interface CompanyParts {
  readonly config: CompanyConfig;
  /** Reaches the provider. */
  readonly send: Send;
}

export const refused = (message: string): Refused => ({ kind: 'refused', message });
export const noInvitation = refused(
  'The invitation has expired, was used, or was replaced; ask an administrator for a new one',
);
export const later = (seconds: number): Later => ({ kind: 'later', retry_after: seconds });

/** Browsers of a user that are told apart from those of strangers; the one used longest ago is forgotten. */
const mostDevices = 20;

/** The hash of the visitor's device. Undefined: the user never signed in with it. */
export function deviceOf(user: StoredUser | undefined, { device }: Visitor): string | undefined {
  if (device === undefined || user?.devices === undefined) return undefined;
  const hash = hashSecret(device);
  return user.devices.includes(hash) ? hash : undefined;
}

/**
 * Whom a try is counted under.
 * @param what is tried: a failure of one thing does not hold back another
 */
export function countedUnder(
  what: 'password' | 'code',
  account: string,
  device: string | undefined,
  { address }: Visitor,
): readonly Counted[] {
  if (device !== undefined) return [{ as: 'device', name: `${what} ${device}` }];
  return [
    { as: 'account', name: `${what} ${account}` },
    { as: 'network', name: networkOf(address) },
  ];
}

/**
 * Begins the session of a user who has shown who they are, with their second factor if they have one.
 * @param secondFactor `company`: the company's provider answers for it
 */
export async function enter(
  { deps, isLocal }: Pick<Parts, 'deps' | 'isLocal'>,
  tx: Tx,
  user: StoredUser,
  {
    visitor,
    isLogin,
    secondFactor,
  }: {
    readonly visitor: Visitor;
    readonly isLogin: boolean;
    readonly secondFactor?: 'company' | undefined;
  },
): Promise<Entered> {
  const scopes = await scopesOfUser(tx, user.id);
  const isEnrolmentDue = user.totp === undefined && mustHaveSecondFactor(scopes);
  if (isEnrolmentDue && secondFactor === undefined) {
    return await begin(deps, tx, user, { awaits: 'enrolment', visitor });
  }
  const known = deviceOf(user, visitor);
  const device = known === undefined ? newSecret('gdv', deps.random) : undefined;
  const hash = known ?? hashSecret(device ?? '');
  const devices = [...(user.devices ?? []).filter((one) => one !== hash), hash];
  const after = {
    ...user,
    devices: devices.slice(-mostDevices),
    ...(isLogin ? { last_login_at: timestamp(deps.clock.now()) } : {}),
  };
  await tx.replace(users, after);
  const entered = await begin(deps, tx, after, { awaits: undefined, visitor, secondFactor });
  if (isLogin) {
    const actor = { userId: user.id, via: entered.session.id, requestId: visitor.requestId };
    await recordAudit(deps, tx, actor, 'user.login', user.id);
    const { id, email, name, roles } = user;
    const shown = { id, email, ...defined({ name }), roles, scopes };
    await emit(deps, tx, 'user.login', { user: shown });
    if (!isLocal && roles.includes('owner')) await retireBootstrapKey(deps, tx, actor);
  }
  return { ...entered, ...defined({ device }) };
}

/** Begins a session that opens nothing until the second factor was given, or set up. */
export async function begin(
  deps: Deps,
  tx: Tx,
  user: StoredUser,
  {
    awaits,
    visitor,
    secondFactor,
  }: {
    readonly awaits: 'second_factor' | 'enrolment' | undefined;
    readonly visitor: Visitor;
    readonly secondFactor?: 'company' | undefined;
  },
): Promise<Entered> {
  const { stored, token } = await beginSession(deps, tx, user, {
    awaits,
    address: visitor.address,
    second_factor: secondFactor,
  });
  const scopes = await scopesOfUser(tx, user.id);
  return {
    kind: 'signed_in',
    session: showSession({ stored, user, scopes, needs: awaits }),
    token,
  };
}
