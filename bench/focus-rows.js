// Made-up charges as FOCUS 1.0 CSV: the same for the same numbers, for benches and for the tests that add them in two ways.

/** 20 of FOCUS's columns, those that exports fill. */
export const columns = [
  'BilledCost', 'BillingAccountId', 'BillingCurrency', 'BillingPeriodEnd', 'BillingPeriodStart',
  'ChargeCategory', 'ChargePeriodEnd', 'ChargePeriodStart', 'ConsumedQuantity', 'ConsumedUnit',
  'EffectiveCost', 'ListCost', 'ProviderName', 'RegionId', 'ResourceId',
  'ResourceType', 'ServiceCategory', 'ServiceName', 'SubAccountId', 'Tags',
]; // prettier-ignore

const serviceCount = 200;
const accountCount = 50;
const categories = ['Compute', 'Storage', 'Databases', 'Networking', 'Analytics'];
const regions = ['eu-central-1', 'eu-west-1', 'us-east-1', 'us-west-2', 'ap-southeast-2'];
const teams = ['payments', 'search', 'platform', 'data', 'web', 'mobile', 'risk'];
const environments = ['production', 'staging', 'test'];
const hour = 3_600_000;

/** A number from 0 up to, and without, `below`, that follows from `n` alone. */
function mixed(n, below) {
  let value = Math.imul(n ^ (n >>> 16), 0x45d9f3b);
  value = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  return ((value ^ (value >>> 16)) >>> 0) % below;
}

/** What a resource's rows have in common, as CSV. */
function makeResource(n) {
  const service = mixed(n, serviceCount);
  const tags = [`""team"":""${teams[mixed(n + 1, teams.length)]}""`];
  if (n % 3 !== 0) tags.push(`""environment"":""${environments[mixed(n + 2, 3)]}""`);
  return {
    account: String(100_000_000_000 + mixed(n + 3, accountCount)),
    region: regions[mixed(n + 4, regions.length)],
    id: `arn:aws:svc${service}:::thing/${n.toString(36).padStart(6, '0')}`,
    service: `Service ${service}`,
    category: categories[service % categories.length],
    tags: `"{${tags.join(',')}}"`,
    /** Billionths of the currency for an hour. */
    rate: 1_000_000 + mixed(n + 5, 400_000_000),
  };
}

/** Billionths, or of another power of ten, as a decimal. */
function decimal(value, digits) {
  const text = String(Math.abs(value)).padStart(digits + 1, '0');
  return `${value < 0 ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/**
 * Lines with their line ends, the header not among them. One in 97 is a correction (negative), one in 101 a credit without a
 * resource; amounts have up to eleven digits after the point.
 * @param {{ from: number, to: number, month: string, resources?: number, every?: number }} part rows, `2026-09`, hours
 * between two of a resource
 */
export function* focusRows({ from, to, month, resources = 20_000, every = 3 }) {
  const start = Date.parse(`${month}-01T00:00:00Z`);
  const [year, at] = month.split('-').map(Number);
  const end = Date.UTC(year, at, 1);
  const hours = (end - start) / hour;
  const iso = (ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  const times = Array.from({ length: hours + 1 }, (_, n) => iso(start + n * hour));
  const all = Array.from({ length: resources }, (_, n) => makeResource(n));
  for (let n = from; n < to; n++) {
    // As exporters write them: all of an hour, then those of the next.
    const begins = Math.floor(((n / resources) * every) % hours);
    const { account, region, id, service, category, tags, rate } = all[n % resources];
    const isCredit = n % 101 === 0;
    const cost = (n % 97 === 0 || isCredit ? -1 : 1) * (rate + mixed(n, 1_000_000));
    const billed = decimal(cost, 9);
    const effective = decimal(cost * 83 + (n % 7), 11);
    const list = decimal(cost + Math.abs(cost >> 3), 9);
    yield `${billed},1234,USD,${times[hours]},${times[0]},${isCredit ? 'Credit' : 'Usage'},${times[begins + 1]},${times[begins]},${1 + (n % 24)},Hours,${effective},${list},AWS,${isCredit ? '' : region},${isCredit ? '' : id},${isCredit ? '' : 'Thing'},${category},${service},${account},${isCredit ? '' : tags}\n`;
  }
}
