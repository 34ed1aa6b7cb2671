import { recordAudit } from '../audit/service.ts';
import type { Deps } from '../deps.ts';
import { networkOf } from '../http/address.ts';

/** A line of the audit log for each account, at most once in so many milliseconds. */
const every = 60_000;
const mostNetworks = 1_000;

interface Counted {
  failures: number;
  readonly networks: Set<string>;
  /** Of the last line. */
  writtenAt: number;
}

/** Tells the audit log of failed sign-ins, counted, so that a flood of them costs it next to nothing. */
export interface FailureLog {
  /** @param userId of an account that there is: others would fill the log */
  add(userId: string, address: string | undefined): void;
  /** Writes what is due. Call it every minute. */
  save(): Promise<void>;
}

export function createFailureLog(deps: Deps): FailureLog {
  const accounts = new Map<string, Counted>();

  const isDue = ({ failures, writtenAt }: Counted): boolean =>
    failures > 0 && deps.clock.now() - writtenAt >= every;

  async function save(): Promise<void> {
    const due = [...accounts].filter(([, counted]) => isDue(counted));
    for (const [id, counted] of accounts) if (counted.failures === 0) accounts.delete(id);
    if (due.length === 0 || !deps.store.health().writable) return;
    const lines = due.map(([userId, counted]) => {
      const { failures, networks } = counted;
      const changes = [`failures: ${failures}`, `networks: ${networks.size}`];
      counted.failures = 0;
      counted.networks.clear();
      counted.writtenAt = deps.clock.now();
      return { userId, changes };
    });
    await deps.store.transact(async (tx) => {
      for (const { userId, changes } of lines) {
        const actor = { userId: 'unknown', via: 'sign-in', requestId: 'system' };
        await recordAudit(deps, tx, actor, 'user.login.failed', userId, changes);
      }
    });
  }

  return {
    add(userId, address) {
      const counted = accounts.get(userId) ?? { failures: 0, networks: new Set(), writtenAt: 0 };
      accounts.set(userId, counted);
      counted.failures += 1;
      if (counted.networks.size < mostNetworks) counted.networks.add(networkOf(address));
      // Not waited for: an account that there is not would be told apart by the time this takes.
      if (isDue(counted)) save().catch((error: unknown) => deps.log.error({ err: error }, 'failed sign-ins were not recorded')); // prettier-ignore
    },
    save,
  };
}
