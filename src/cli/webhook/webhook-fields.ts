import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { EventType, eventTypes } from '../../contract/events.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { severities } from '../../contract/policies.ts';
import { RetryConfig } from '../../contract/webhooks.ts';
import type { World } from '../context.ts';
import { fromEnvironment } from '../flags/from-environment.ts';
import { listOf } from '../flags/parse-words.ts';
import type { ShownWebhook } from './webhook-objects.ts';

/** What `create` and `update` take alike. */
export interface FieldFlags {
  readonly event?: readonly string[];
  readonly severity?: readonly string[];
  readonly environment?: readonly string[];
  readonly provider?: readonly string[];
  readonly maxAttempts?: string;
  readonly backoffMultiplier?: string;
  readonly timeout?: string;
  readonly header?: readonly string[];
  readonly headerEnv?: readonly string[];
  readonly name?: string;
  readonly tag?: readonly string[];
}

/** Every type: for `--event all`. */
const all = 'all';

/** Of flags that are one by two names. */
export const bothOf = (
  values: readonly string[] | undefined,
  others: readonly string[] | undefined,
): readonly string[] | undefined =>
  values && others ? [...values, ...others] : (values ?? others);

/** @throws GovctlError usage_error, with the nearest type */
export function parseEventTypes(given: readonly string[], flag = '--event'): EventType[] {
  const words = listOf(given);
  if (words.length === 0 || given.some((text) => listOf([text]).length === 0)) {
    throw new GovctlError('usage_error', `${flag} has no event type`, {
      hint: `Use a type such as ${eventTypes[0]}, a comma-separated list, or all.`,
    });
  }
  const types = words.flatMap((word): readonly EventType[] => {
    if (word === all) return eventTypes;
    const parsed = EventType.safeParse(word);
    if (parsed.success) return [parsed.data];
    throw new GovctlError('usage_error', `${flag} ${word}: unknown event type`, {
      hint: typesMeant(word),
    });
  });
  return [...new Set(types)];
}

/** The nearest type, or those about the same. */
function typesMeant(word: string): string {
  const about = word.slice(0, word.indexOf('.') + 1);
  const akin = about === '' ? [] : eventTypes.filter((type) => type.startsWith(about));
  // Types about one thing begin alike, which must not make them near.
  const nearest =
    akin.length > 0
      ? nearestWord(
          word.slice(about.length),
          akin.map((type) => type.slice(about.length)),
        )
      : nearestWord(word, eventTypes);
  if (nearest !== undefined) return `Did you mean ${akin.length > 0 ? about : ''}${nearest}?`;
  const others = akin.length > 0 ? akin : eventTypes.filter((type) => type.includes(word));
  return others.length > 0
    ? `Use ${others.join(', ')}.`
    : 'Run `govctl webhook create --help` to list the event types.';
}

/**
 * The fields that flags name. An object is sent whole, so what flags leave out of it is taken from the webhook as it
 * is.
 * @throws GovctlError usage_error
 */
export function fieldsFromFlags(
  world: World,
  flags: FieldFlags,
  before: Pick<ShownWebhook, 'filters' | 'retry_config' | 'headers'> = {},
): Record<string, unknown> {
  const filters = filtersFrom(flags);
  const retry = retryFrom(flags);
  const headers = headersFrom(world, flags);
  return {
    ...(flags.event ? { events: parseEventTypes(flags.event) } : {}),
    ...(filters ? { filters: { ...before.filters, ...filters } } : {}),
    ...(retry ? { retry_config: { ...before.retry_config, ...retry } } : {}),
    ...(flags.timeout === undefined
      ? {}
      : { timeout_seconds: wholeNumber('--timeout', flags.timeout, 1, 30) }),
    ...(headers ? { headers: mergeHeaders(before.headers ?? {}, headers) } : {}),
    ...defined({ name: flags.name }),
    ...(flags.tag ? { tags: [...flags.tag] } : {}),
  };
}

function filtersFrom(flags: FieldFlags): Record<string, string[]> | undefined {
  const given = {
    ...(flags.severity ? { severity: listOf(flags.severity).map(parseSeverity) } : {}),
    ...(flags.environment ? { environments: listOf(flags.environment) } : {}),
    ...(flags.provider ? { cloud_providers: listOf(flags.provider) } : {}),
  };
  return Object.keys(given).length > 0 ? given : undefined;
}

function parseSeverity(text: string): string {
  const severity = text.toUpperCase();
  if ((severities as readonly string[]).includes(severity)) return severity;
  const nearest = nearestWord(severity, severities);
  throw new GovctlError('usage_error', `--severity ${text}: unknown severity`, {
    hint: nearest ? `Did you mean ${nearest}?` : `Use ${severities.join(', ')}.`,
  });
}

function retryFrom({ maxAttempts, backoffMultiplier }: FieldFlags): RetryConfig | undefined {
  if (maxAttempts === undefined && backoffMultiplier === undefined) return undefined;
  return {
    ...(maxAttempts === undefined
      ? {}
      : { max_attempts: wholeNumber('--max-attempts', maxAttempts, 1, 20) }),
    ...(backoffMultiplier === undefined
      ? {}
      : { backoff_multiplier: multiplier(backoffMultiplier) }),
  };
}

function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (/^\d{1,6}$/.test(text) && number >= least && number <= most) return number;
  throw new GovctlError(
    'usage_error',
    `${flag} ${text}: must be a whole number from ${least} to ${most}`,
  );
}

function multiplier(text: string): number {
  const parsed = RetryConfig.shape.backoff_multiplier.safeParse(
    /^\d{1,3}(\.\d{1,6})?$/.test(text) ? Number(text) : NaN,
  );
  if (parsed.success && parsed.data !== undefined) return parsed.data;
  throw new GovctlError(
    'usage_error',
    `--backoff-multiplier ${text}: must be a number from 1 to 10`,
  );
}

function headersFrom(world: World, flags: FieldFlags): Record<string, string> | undefined {
  const plain = (flags.header ?? []).map((text) => headerFrom('--header', text, 'value'));
  const secret = (flags.headerEnv ?? []).map((text) => {
    const [name, variable] = headerFrom('--header-env', text, 'VARIABLE');
    return [name, fromEnvironment(world, `--header-env ${name}:`, variable)] as const;
  });
  const all = [...plain, ...secret];
  return all.length > 0 ? mergeHeaders({}, Object.fromEntries(all)) : undefined;
}

function headerFrom(flag: string, text: string, what: string): readonly [string, string] {
  const [, name, value] =
    /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*([^\u0000-\u001f\u007f]+)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value.trim()];
  // What follows the name may be a key.
  const [, start] = /^([^:]{1,60}):/.exec(text) ?? [];
  const given = start === undefined ? '' : ` ${JSON.stringify(start)}`;
  throw new GovctlError('usage_error', `${flag}${given}: must be 'Name: ${what}', on one line`);
}

/** Header names are the same in any case. */
function mergeHeaders(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, string> {
  const replaced = new Set(Object.keys(after).map((name) => name.toLowerCase()));
  const kept = Object.entries(before).filter(([name]) => !replaced.has(name.toLowerCase()));
  return Object.fromEntries([...kept, ...Object.entries(after)]);
}
