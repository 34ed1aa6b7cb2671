import type { ExitCode } from '../../../contract/errors.ts';
import { exitCodes } from '../../../contract/errors.ts';
import type { Rightsizing } from '../../../contract/rightsizing.ts';
import { showMoney } from '../../../contract/money.ts';
import type { Context } from '../../context.ts';
import { withOurServer } from '../../objects/our-server.ts';
import { formatDetails } from '../../terminal/details.ts';
import { glyphsFor } from '../../terminal/sparkline.ts';
import type { Glyphs } from '../../terminal/sparkline.ts';
import { reasonText } from './list-view.ts';
import { parseMemory } from './options.ts';
import type { AssumeMemory } from './options.ts';
import { gib, share, usage, vcpus } from './words.ts';

export async function runGet(
  context: Context,
  { args: [id], ...options }: AssumeMemory & { readonly args: readonly [string] },
): Promise<ExitCode> {
  const assumed = parseMemory(options)?.toString();
  const { data } = await withOurServer(context, 'rightsizing', 'Loading recommendation', (client) =>
    client.rightsizing.get({ params: { id }, query: { assume_memory: assumed } }),
  );
  const glyphs = glyphsFor(context.world.env);
  await context.show({
    value: data,
    human: (style, columns) =>
      formatDetails(data.resource_id, fieldsOf(data, glyphs), style, columns),
  });
  return exitCodes.ok;
}

type Size = NonNullable<Rightsizing['current']>;

const sizeText = ({ name, vcpus: number, memory_gib: memory, baseline }: Size): string =>
  `${name}: ${vcpus(number)}${baseline === undefined ? '' : ` (${share(baseline)} always)`}, ${gib(memory)}`;

const loadText = (fitting: NonNullable<Rightsizing['suggested']>): string =>
  `${sizeText(fitting)}; would use ${share(fitting.load.cpu)} of CPU, ${share(fitting.load.memory)} of memory`;

/** @param until when the last measurement ends */
const lastDay = (until: string): string =>
  new Date(Date.parse(until) - 1).toISOString().slice(0, 10);

type Measured = NonNullable<Rightsizing['evidence']['cpu']>;

const measuredText = ({ hours, from, until, p50, p95, p99_5, max }: Measured): string =>
  `median ${p50}%, p95 ${p95}%, p99.5 ${p99_5}%, max ${max}%; ${hours} hours, ${from.slice(0, 10)} to ${lastDay(until)}`;

function fieldsOf(
  one: Rightsizing,
  glyphs: Glyphs,
): readonly (readonly [string, string | undefined])[] {
  const { evidence, current, suggested, monthly_saving: saving, currency = '' } = one;
  const { cpu, memory, assumed_memory: assumed, cost } = evidence;
  return [
    ['name', one.name],
    ['type', one.resource_type],
    ['account', one.account_id],
    ['region', one.region],
    ['environment', one.environment],
    ['status', one.status === 'fits' ? 'right-sized' : one.status],
    ['reason', one.reason && reasonText(one.reason)],
    ['size', current ? sizeText(current) : one.size],
    ['suggested', suggested && loadText(suggested)],
    ...one.alternatives.map((other) => ['or', loadText(other)] as const),
    ['risk', one.risk],
    ['saves', saving === undefined ? undefined : `${showMoney(saving, currency)} per month`],
    ['costs', one.monthly_cost === undefined ? undefined : `${showMoney(one.monthly_cost, currency)} per month`], // prettier-ignore
    ['rate', one.cost_per_hour === undefined ? undefined : `${one.cost_per_hour} ${currency} per hour, from ${cost?.amount} over ${cost?.hours} hours`], // prettier-ignore
    ['CPU', cpu && usage(glyphs, cpu.p99_5)],
    ['', cpu && measuredText(cpu)],
    ['memory', memory || assumed !== undefined ? usage(glyphs, memory?.max, assumed) : undefined],
    ['', memory ? measuredText(memory) : assumed === undefined ? undefined : 'not measured: assumed'], // prettier-ignore
    ['ID', one.id],
  ];
}
