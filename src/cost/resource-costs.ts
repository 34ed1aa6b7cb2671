import type { Amount } from './amount.ts';
import { compare } from './amount.ts';
import type { Measure } from './focus/record.ts';
import { accountKey, resourceKey } from './resource-id.ts';
import type { Numbers } from './table/format.ts';
import { laneName } from './table/format.ts';
import type { Table } from './table/read.ts';
import { wantedOf } from './table/scan.ts';

/** Resources with a cost that are told apart: some 80 MB. Those that come later have none. */
const mostResources = 2_000_000;
const laneSize = 1_000_000_000;

/** A table of charges, and the days of it that count: from, and up to without, as days since 1970-01-01. */
export interface CountedTable {
  readonly provider: string;
  readonly billingAccount: string;
  readonly from: number;
  readonly to: number;
  readonly table: Table;
}

/** What a resource is found by. */
export interface CostlyResource {
  readonly id: string;
  readonly provider: string;
  readonly type?: string;
  readonly account_id?: string | undefined;
}

/** What a resource cost, in one currency. */
export interface ResourceCost {
  /** The same for resources that are the same one in the charges: its cost counts once. */
  readonly entry: number;
  readonly currency: string;
  readonly amount: Amount;
}

/**
 * What each resource cost: sums by resource and currency, found by the hash of the key. Two of 2,000,000 resources have the
 * same hash of 64 bits once in ten million times.
 */
export class ResourceCosts {
  /** Charges of resources that there was no room for. */
  left = 0;
  private readonly entries = new HashedRows();
  private units = new Float64Array(1_024);
  private nanos = new Uint32Array(1_024);
  private attos = new Uint32Array(1_024);
  private readonly currencies: string[] = [];
  /** The names that are compared within accounts: the account of each, or `several`. */
  private readonly names = new HashedRows();
  private readonly accountOfName: string[] = [];

  constructor(
    private readonly measure: Measure,
    /** Only charges that have one of these texts, for each column, as of a scan. */
    private readonly where: Readonly<Record<string, readonly string[]>> = {},
    private readonly most = mostResources,
  ) {}

  /** How many resources have a cost, in each currency of its own. */
  get size(): number {
    return this.entries.size;
  }

  /** @param pause is awaited after each segment; it may throw to end it */
  async add(
    { provider, billingAccount, from, to, table }: CountedTable,
    pause: () => Promise<void> = async () => {},
  ): Promise<void> {
    const resource = await table.texts('resource', pause);
    const accounts = await table.texts('sub_account');
    const currency = await table.texts('currency');
    const wanted = await wantedOf(table, this.where, pause);
    if (wanted.some(([, flags]) => !flags.includes(1))) return;
    /** The entry of each resource in the row before, and which account and currency that was of. */
    const entryOf = new Int32Array(resource.length).fill(-1);
    const placeOf = new Uint32Array(resource.length);
    for (const segment of table.segments) {
      if (segment.lastDay < from || segment.firstDay >= to) continue;
      const column = async (name: string) => table.column(segment, name);
      const resources = await column('resource');
      // The first text of each column is the empty one.
      if (!resources) continue;
      const [days, ofAccounts, ofCurrencies] = [
        await column('day'),
        await column('sub_account'),
        await column('currency'),
      ];
      const lanes = [
        await column(laneName(this.measure, 'units')),
        await column(laneName(this.measure, 'nanos')),
        await column(laneName(this.measure, 'attos')),
      ] as const;
      const filters: [Uint8Array, Numbers | undefined][] = [];
      for (const [name, flags] of wanted) filters.push([flags, await column(name)]);
      for (let row = 0; row < segment.rows; row++) {
        const day = days?.[row] ?? 0;
        const code = resources[row] ?? 0;
        if (day < from || day >= to) continue;
        if (filters.some(([flags, codes]) => flags[codes?.[row] ?? 0] !== 1)) continue;
        const [account, ofCurrency] = [ofAccounts?.[row] ?? 0, ofCurrencies?.[row] ?? 0];
        const place = account * currency.length + ofCurrency;
        let entry = entryOf[code] ?? -1;
        if (entry < 0 || placeOf[code] !== place) {
          const id = resource[code] ?? '';
          const own = accounts[account] ?? '';
          const text = currency[ofCurrency] ?? '';
          entry = this.entryFor({ provider, id, account_id: own || billingAccount }, text);
          entryOf[code] = entry;
          placeOf[code] = place;
        }
        if (entry < 0) continue;
        this.addTo(entry, lanes[0]?.[row] ?? 0, lanes[1]?.[row] ?? 0, lanes[2]?.[row] ?? 0);
      }
      await pause();
    }
  }

  /** What a resource cost in each currency; none where that is not known, as for a name that two accounts have. */
  find(resource: CostlyResource): readonly ResourceCost[] {
    const key = resourceKey(resource.provider, resource.id, resource.type);
    if (!key) return [];
    const account = key.isUnique ? '' : this.accountFor(resource, key.text);
    if (account === undefined) return [];
    return this.currencies.flatMap((currency) => {
      const hash = hashOf(entryText(resource.provider, key.text, account, currency));
      const entry = this.entries.find(hash);
      if (entry === undefined) return [];
      const [units = 0, nanos = 0, attos = 0] = [
        this.units[entry],
        this.nanos[entry],
        this.attos[entry],
      ];
      return [{ entry, currency, amount: { units, nanos, attos } }];
    });
  }

  /** In the currency in which it cost most, where there are several. */
  ofMost(resource: CostlyResource): ResourceCost | undefined {
    return this.find(resource).toSorted((a, b) => compare(b.amount, a.amount))[0];
  }

  private accountFor({ provider, account_id }: CostlyResource, name: string): string | undefined {
    if (account_id !== undefined) return accountKey(account_id);
    const found = this.names.find(hashOf(`${provider}\0${name}`));
    const account = found === undefined ? undefined : this.accountOfName[found];
    return account === several ? undefined : account;
  }

  /** @returns -1: it is no resource, or there is no room for it */
  private entryFor({ provider, id, account_id = '' }: CostlyResource, currency: string): number {
    const key = resourceKey(provider, id);
    if (!key) return -1;
    const account = key.isUnique ? '' : accountKey(account_id);
    const hash = hashOf(entryText(provider, key.text, account, currency));
    const known = this.entries.find(hash);
    if (known !== undefined) return known;
    if (this.entries.size >= this.most) {
      this.left += 1;
      return -1;
    }
    if (!key.isUnique) this.nameOf(`${provider}\0${key.text}`, account);
    if (!this.currencies.includes(currency)) this.currencies.push(currency);
    const entry = this.entries.add(hash);
    if (entry === this.units.length) this.grow();
    return entry;
  }

  private nameOf(name: string, account: string): void {
    const hash = hashOf(name);
    const known = this.names.find(hash);
    if (known === undefined) this.accountOfName[this.names.add(hash)] = account;
    else if (this.accountOfName[known] !== account) this.accountOfName[known] = several;
  }

  /** The lanes of rows are those of amounts: whole, and but for units less than a thousand million. */
  private addTo(entry: number, units: number, nanos: number, attos: number): void {
    const allAttos = (this.attos[entry] ?? 0) + attos;
    const overAttos = allAttos >= laneSize ? 1 : 0;
    const allNanos = (this.nanos[entry] ?? 0) + nanos + overAttos;
    const overNanos = allNanos >= laneSize ? 1 : 0;
    this.attos[entry] = allAttos - overAttos * laneSize;
    this.nanos[entry] = allNanos - overNanos * laneSize;
    this.units[entry] = (this.units[entry] ?? 0) + units + overNanos;
  }

  private grow(): void {
    const length = 2 * this.units.length;
    const { units, nanos, attos } = this;
    (this.units = new Float64Array(length)).set(units);
    (this.nanos = new Uint32Array(length)).set(nanos);
    (this.attos = new Uint32Array(length)).set(attos);
  }
}

/** No account: they have no such character. */
const several = '\0';

const entryText = (provider: string, text: string, account: string, currency: string): string =>
  `${provider}\0${text}\0${account}\0${currency}`;

type Hash = readonly [number, number];

/** Two hashes of 32 bits, as cyrb53 has them; with a seed, so that nobody can make two texts meet. */
function hashOf(text: string): Hash {
  let a = seeds[0] ^ 0xdeadbeef;
  let b = seeds[1] ^ 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return [a >>> 0, b >>> 0];
}

const seeds = [Math.random() * 2 ** 32, Math.random() * 2 ** 32] as const;

/** Numbers hashes from 0 on, in the order in which they come. */
class HashedRows {
  size = 0;
  /** By row: both halves of its hash. */
  private hashes = new Uint32Array(2 * 1_024);
  /** Row + 1, or 0; open addressing. */
  private slots = new Uint32Array(2 * 1_024);

  find(hash: Hash): number | undefined {
    const row = (this.slots[this.slotOf(hash)] ?? 0) - 1;
    return row < 0 ? undefined : row;
  }

  /** @param hash that is not there yet */
  add(hash: Hash): number {
    const row = this.size++;
    this.slots[this.slotOf(hash)] = row + 1;
    this.hashes.set(hash, 2 * row);
    if (2 * this.size >= this.slots.length) this.grow();
    return row;
  }

  private slotOf([a, b]: Hash): number {
    const mask = this.slots.length - 1;
    let slot = a & mask;
    for (;;) {
      const row = (this.slots[slot] ?? 0) - 1;
      if (row < 0) return slot;
      if (this.hashes[2 * row] === a && this.hashes[2 * row + 1] === b) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private grow(): void {
    const { hashes } = this;
    this.slots = new Uint32Array(2 * this.slots.length);
    (this.hashes = new Uint32Array(this.slots.length)).set(hashes);
    for (let row = 0; row < this.size; row++) {
      this.slots[this.slotOf([hashes[2 * row] ?? 0, hashes[2 * row + 1] ?? 0])] = row + 1;
    }
  }
}
