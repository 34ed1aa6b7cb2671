import type { FormatOptions } from '../../contract/reports.ts';
import type { ScheduleInput, UpdatedDelivery, UpdatedTemplate } from '../../contract/schedules.ts';
import { channelKinds } from '../../contract/report-channels.ts';
import type { Deps } from '../deps.ts';
import type { StoredChannel } from '../report-delivery/service.ts';
import type { StoredSecurity } from '../reports/collection.ts';
import { readySecurity } from '../reports/service.ts';
import type { ReadySecurity } from '../reports/service.ts';
import type { Asker } from '../threads/threads.ts';
import { withoutAbsent } from '../without-absent.ts';
import { invalidSchedule } from './check.ts';
import type { StoredFormatOptions, StoredSchedule, StoredTemplate } from './collection.ts';

/** Characters of a secret that are shown. */
const hintLength = 4;
/** Shown of one that was sealed with another key. */
const unreadableHint = '????';

/** Opens what was sealed for a schedule; undefined where this server's key is another. */
export function openFor(
  { secrets }: Pick<Deps, 'secrets'>,
  scheduleId: string,
  sealed: string,
): string | undefined {
  try {
    return secrets.open(sealed, scheduleId);
  } catch {
    return undefined;
  }
}

/** What is shown of a secret. @param secret as `openFor` found it */
export const shownHint = (secret: string | undefined): string =>
  secret === undefined ? unreadableHint : secret.slice(-hintLength);

/**
 * The channels of a schedule, in the contract's order, a webhook's secret sealed.
 * @param before what a secret stays in that is given as its hint, or not changed
 * @throws GovctlError invalid_schedule for a hint that is none of the secret's
 */
export function storedChannels(
  deps: Pick<Deps, 'secrets'>,
  scheduleId: string,
  delivery: UpdatedDelivery | undefined,
  before: readonly StoredChannel[] = [],
): readonly StoredChannel[] {
  return channelsOf(delivery).map((channel) => {
    if (channel.kind !== 'webhook') return channel;
    const old = before.find((one) => one.kind === 'webhook')?.secret;
    const secret = storedSecret(deps, scheduleId, channel, old);
    return secret === undefined ? withoutSecret(channel) : { ...withoutSecret(channel), secret };
  });
}

type GivenWebhook = Extract<StoredChannel, { readonly kind: 'webhook' }> & {
  readonly secret_hint?: string | undefined;
};
type GivenChannel = Exclude<StoredChannel, { readonly kind: 'webhook' }> | GivenWebhook;

const withoutSecret = ({ secret: _, secret_hint: __, ...plain }: GivenWebhook) => plain;

/** As they were given: nothing is sealed. For checking them, too. */
export const channelsOf = (delivery: UpdatedDelivery | undefined): readonly GivenChannel[] =>
  channelKinds.flatMap((kind) => {
    const channel = delivery?.[kind];
    // A kind and its own fields, as the schema has checked.
    return channel === undefined ? [] : [{ kind, ...withoutAbsent(channel) } as GivenChannel];
  });

function storedSecret(
  deps: Pick<Deps, 'secrets'>,
  scheduleId: string,
  { secret, secret_hint: hint }: GivenWebhook,
  old: string | undefined,
): string | undefined {
  if (secret === undefined && hint === undefined) return undefined;
  const known = old === undefined ? undefined : openFor(deps, scheduleId, old);
  if (secret !== undefined) {
    return secret === known ? old : deps.secrets.seal(secret, scheduleId);
  }
  // One that can't be read stays: another start may have its key again.
  if (old !== undefined && (known === undefined || hint === shownHint(known))) return old;
  const message =
    old === undefined
      ? 'stands for a stored secret, but none is stored: set the secret, or omit both'
      : 'does not match the stored secret: read the schedule again, or set the secret';
  throw invalidSchedule([{ field: 'delivery.webhook.secret_hint', message }]);
}

type GivenSecurity = NonNullable<NonNullable<UpdatedTemplate['format_options']>['security']>;

/** A template's protection as it was given, a password hashed. */
export interface HashedSecurity {
  readonly given: GivenSecurity;
  readonly hash: string | undefined;
}

/** Before the transaction, as hashing takes its time. */
export async function hashedSecurity(
  given: GivenSecurity | undefined,
  asker: Asker,
): Promise<HashedSecurity | undefined> {
  return given && { given, hash: (await readySecurity(given, asker))?.password_hash };
}

/**
 * A template's protection, its password sealed.
 * @param before what a password stays in that is answered as `protected`, or not changed; read in the same transaction
 * @throws GovctlError invalid_schedule where a password is to stay that is not there
 */
export function storedSecurity(
  deps: Pick<Deps, 'secrets'>,
  scheduleId: string,
  hashed: HashedSecurity | undefined,
  before?: StoredSecurity,
): StoredSecurity | undefined {
  if (!hashed) return undefined;
  const { password, protected: isKept, ...plain } = hashed.given;
  const old = before?.password;
  if (password === undefined && isKept === true && old === undefined) {
    const field = 'report_template.format_options.security.protected';
    const message =
      'stands for a stored password, but none is stored: set the password, or omit both';
    throw invalidSchedule([{ field, message }]);
  }
  const isSame =
    old !== undefined &&
    (password === undefined ? isKept === true : password === openFor(deps, scheduleId, old));
  return withoutAbsent({
    ...plain,
    ...(isSame
      ? { password: old, password_hash: before?.password_hash }
      : {
          password: password === undefined ? undefined : deps.secrets.seal(password, scheduleId),
          password_hash: hashed.hash,
        }),
  }) as StoredSecurity; // only what is optional can be absent
}

/** A template with what `storedSecurity` made of its protection. */
export const storedTemplate = (
  { format_options: format, ...template }: ScheduleInput['report_template'] | UpdatedTemplate,
  security: StoredSecurity | undefined,
): StoredTemplate => {
  if (!format) return withoutAbsent(template);
  return withoutAbsent({
    ...template,
    format_options: { ...withoutSecurity(format), ...(security ? { security } : {}) },
  });
};

const withoutSecurity = ({
  security: _,
  ...options
}: FormatOptions | StoredFormatOptions): Omit<FormatOptions, 'security'> => options;

/** What `createReport` takes. @throws Error where the password was sealed with another key */
export function openedSecurity(
  deps: Pick<Deps, 'secrets'>,
  { id, report_template: { format_options: format } }: StoredSchedule,
): ReadySecurity | undefined {
  if (!format?.security) return undefined;
  const { password, ...security } = format.security;
  return password === undefined
    ? security
    : { ...security, password: deps.secrets.open(password, id) };
}

/** A template's options without its protection, which `createReport` takes by itself. */
export const plainOptions = ({
  format_options: format,
}: StoredTemplate): Omit<FormatOptions, 'security'> | undefined =>
  format && withoutSecurity(format);
