import type { Client } from '../../client/client.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Framework } from '../../contract/frameworks.ts';
import type { ScoreDay } from '../../contract/governance.ts';

/** What the screen shows beside the overview; a part that the server does not have is empty. */
export interface Further {
  /** Of the last 30 days, the first first. */
  readonly days: readonly ScoreDay[];
  /** Those that policies are mapped to, the lowest score first. */
  readonly frameworks: readonly Framework[];
  /** Those with the highest risk. */
  readonly accounts: readonly Account[];
}

export const nothingFurther: Further = { days: [], frameworks: [], accounts: [] };

interface Account {
  readonly id: string;
  readonly score: number | undefined;
  readonly open: number;
}

/** Part of the inventory, as lists of the API. */
type Part = Readonly<
  Record<'cloud_providers' | 'account_ids' | 'environments', string | undefined>
>;

const most = 5;

export const isWhole = (part: Part): boolean =>
  Object.values(part).every((one) => one === undefined);

/** Reads what is of everything, and so is left out for a part: the scores of the last days, and frameworks. */
export async function readFurther(client: Client, part: Part): Promise<Further> {
  const ofAll = isWhole(part);
  const [days, frameworks, accounts] = await Promise.all([
    ofAll ? orNone(readDays(client)) : [],
    ofAll ? orNone(readFrameworks(client)) : [],
    orNone(readAccounts(client, part)),
  ]);
  return { days, frameworks, accounts };
}

/** A server of an earlier version, or a key, may not have it. */
const orNone = <T>(reading: Promise<readonly T[]>): Promise<readonly T[]> =>
  reading.catch((error: unknown) => {
    if (error instanceof GovctlError && error.error !== 'interrupted') return [];
    throw error;
  });

const readDays = async (client: Client): Promise<readonly ScoreDay[]> =>
  (await client.governance.scoreHistory({ query: { days: '30' } })).data.score_history;

async function readFrameworks(client: Client): Promise<readonly Framework[]> {
  const { data } = await client.frameworks.list({
    query: { sort_by: 'compliance_score', order: 'asc', limit: '100' },
  });
  return data.frameworks.filter(({ policies }) => policies > 0).slice(0, most);
}

async function readAccounts(client: Client, part: Part): Promise<readonly Account[]> {
  const { data } = await client.violations.summary({
    query: {
      group_by: 'account',
      limit: String(most + 1), // one group may have no account
      provider: part.cloud_providers,
      account_id: part.account_ids,
      environment: part.environments,
    },
  });
  return Promise.all(
    data.groups
      .flatMap(({ key, total }) => (key === null ? [] : [{ key, total }]))
      .slice(0, most)
      .map(({ key, total }) => readAccount(client, { ...part, account_ids: key }, total)),
  );
}

async function readAccount(client: Client, part: Part, open: number): Promise<Account> {
  const { data } = await client.governance.overview({ query: part });
  const { compliance_score: score, evaluated } = data.governance_overview;
  return { id: part.account_ids ?? '', score: evaluated === 0 ? undefined : score, open };
}
