import { defined } from '../../contract/defined.ts';
import { isPathMissing, keepsWebhookTags, webhookObjects } from '../../client/objects.ts';
import { pausedByUser } from '../../contract/webhooks.ts';
import { byCodeUnit, canonicalJson } from '../../contract/canonical-json.ts';
import { fingerprint } from '../compare/fingerprint.ts';
import { makeWebhookKey } from '../key.ts';
import { isOwnershipTag } from '../compare/ownership.ts';
import { isReference, referencesOf } from '../documents/reference.ts';
import { sayFields } from './say-fields.ts';
import type { BeyondContent, Body, FieldChange, Kind, LocalDocument, Wanted } from './kind.ts';
import type { Headers } from './webhook-secrets.ts';
import {
  headersOf,
  hidden,
  isSensitive,
  own,
  revealHeaders,
  shownHeaders,
  shownValue,
  slowHash,
  writtenOut,
} from './webhook-secrets.ts';

const fields = [
  'name',
  'url',
  'events',
  'secret',
  'active',
  'filters',
  'retry_config',
  'timeout_seconds',
  'headers',
  'tags',
] as const;

/** What only our server takes. */
const extensions: readonly string[] = ['name', 'tags'];

/** Two spellings of one address are one identity. */
export const canonicalUrl = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

const urlOf = ({ url }: Body): string => canonicalUrl(String(url));

/** The service gave up on it; that somebody paused one is an edit like any other. */
const isDisabledByService = ({ active, disabled_reason: reason }: Body): boolean =>
  active === false && reason !== undefined && reason !== pausedByUser;

/**
 * The normal form: url in its canonical spelling; events, filters and tags as sorted sets; header names in lower case;
 * active unless it says no; what the API takes for not given (30 s, a factor of 2, empty objects) left out.
 */
function normalise(body: Body, ownership: 'kept' | 'dropped'): Body {
  const tags = setOf(body.tags).filter((tag) => ownership === 'kept' || !isOwnershipTag(tag));
  const headers = headersOf(body);
  const filters = objectOf(body.filters, (value) => (Array.isArray(value) ? setOf(value) : value));
  const { backoff_multiplier: factor, ...retry } = objectOf(body.retry_config, (value) => value);
  const retryConfig = { ...retry, ...(factor === 2 ? {} : { backoff_multiplier: factor }) };
  return withoutNothing({
    name: body.name,
    url: urlOf(body),
    events: setOf(body.events),
    secret: body.secret,
    active: body.active ?? true,
    filters,
    retry_config: withoutNothing(retryConfig),
    timeout_seconds: body.timeout_seconds === 30 ? undefined : body.timeout_seconds,
    headers,
    tags,
  });
}

const setOf = (list: unknown): string[] =>
  Array.isArray(list) ? [...new Set(list.map(String))].sort(byCodeUnit) : [];

function objectOf(given: unknown, each: (value: unknown) => unknown): Record<string, unknown> {
  if (typeof given !== 'object' || given === null) return {};
  return withoutNothing(
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, each(value)])),
  );
}

/** An empty text, list or object, null and absence are one. */
const withoutNothing = (body: Body): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => !isNothing(value)));

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const hintOf = (secret: string): string => secret.slice(-4);

function diffField(field: string, before: unknown, after: unknown): FieldChange[] | undefined {
  if (field === 'secret' && after !== null) {
    const told =
      before === null
        ? 'sent again, because the service does not return the current value'
        : 'changed';
    return [{ path: 'secret', before: before === null ? null : hidden, after: `(${told})` }];
  }
  if (field !== 'headers') return undefined;
  const [old, next] = [(before ?? {}) as Headers, (after ?? {}) as Headers]; // as normalise makes them
  const names = [...new Set([...Object.keys(old), ...Object.keys(next)])].sort(byCodeUnit);
  return names.flatMap((name) => {
    const [was, is] = [own(old, name) ?? null, own(next, name) ?? null];
    if (was === is) return [];
    return [{ path: `headers.${name}`, before: was, after: is === writtenOut ? '(changed)' : is }];
  });
}

/** A file's webhook as a plan may hold it: references stay, what is written out does not. */
const shownLocal = ({ written }: LocalDocument): Body => ({
  ...written,
  secret: shownValue(String(written.secret), true),
  ...(written.headers === undefined
    ? {}
    : {
        headers: Object.fromEntries(
          Object.entries(written.headers ?? {}).map(([name, value]: [string, unknown]) => [
            name,
            shownValue(String(value), isSensitive(name)),
          ]),
        ),
      }),
});

function wanted(
  local: LocalDocument,
  live: Body | undefined,
  keepsTags: boolean | undefined,
): Wanted {
  const shown = shownLocal(local);
  if (keepsTags === false) {
    // Without a stamp nothing tells what govctl once set: a field that a file leaves out is nobody's.
    const kept = live ? Object.fromEntries(fields.map((field) => [field, live[field]])) : {};
    const keptShown = live ? { ...kept, headers: shownHeaders(headersOf(live), {}, {}) } : {};
    return {
      real: withoutExtensions({ ...kept, ...local.body }),
      shown: withoutExtensions({ ...keptShown, ...shown }),
    };
  }
  const isLeftDisabled = live && isDisabledByService(live) && local.written.active === undefined;
  if (!isLeftDisabled) return { real: local.body, shown };
  const { disabled_reason } = live;
  return { real: local.body, shown: { ...shown, active: false, disabled_reason } };
}

const withoutExtensions = (body: Body): Body =>
  withoutNothing(
    Object.fromEntries(Object.entries(body).filter(([field]) => !extensions.includes(field))),
  );

function shownLive(live: Body, beside: Wanted | null): Body {
  const { secret_hint: hint, ...rest } = live;
  const headers = headersOf(live);
  if (!beside) {
    return {
      ...rest,
      headers: Object.fromEntries(Object.keys(headers).map((name) => [name, hidden])),
    };
  }
  const { real, shown } = beside;
  // Without a hint it is sent with any other change, and is none by itself.
  const isSame =
    hint === undefined ? saysTheSame(live, real) : hint === hintOf(String(real.secret));
  const secret = isSame ? shown.secret : hint === undefined ? undefined : hidden;
  return { ...rest, secret, headers: shownHeaders(headers, headersOf(real), headersOf(shown)) };
}

function saysTheSame(live: Body, real: Body): boolean {
  const content = (body: Body): string => canonicalJson({ ...contentOf(body), secret: undefined });
  return content(live) === content(real);
}

/** What the service did on its own is no edit of what it says. */
const contentOf = (body: Body): Body =>
  normalise(isDisabledByService(body) ? { ...body, active: true } : body, 'dropped');

function beyondContent(local: LocalDocument, live: Body): BeyondContent | undefined {
  const { secret_hint: hint, disabled_reason: why } = live;
  if (hint !== undefined && hint !== hintOf(String(local.body.secret))) {
    return { cause: 'secret', reason: 'the secret changed' };
  }
  return isDisabledByService(live) && local.written.active === true
    ? {
        cause: 'disabled',
        reason: `disabled by the service: ${String(why)}; the file has active: true, so apply enables the webhook again`,
      }
    : undefined;
}

export const webhookKind: Kind = {
  name: 'Webhook',
  noun: { one: 'webhook', many: 'webhooks' },
  objects: webhookObjects,
  isOurs: false,
  isMissing: isPathMissing,
  fields,
  writeOnly: ['secret'],
  identity: 'url',
  isUnique: false,
  guardsEmpty: false,
  changed: 'the file or a referenced variable changed',
  // Those that come hear of what follows, those that go heard of what went before.
  turn: { write: 0, delete: 2 },
  keepsTags: keepsWebhookTags,
  titleOf: (body) => (typeof body.name === 'string' ? body.name : String(body.url)),
  keyOf: ({ name, url }) =>
    makeWebhookKey(String(url), typeof name === 'string' ? name : undefined),
  identityOf: urlOf,
  content: contentOf,
  state: (body) => ({
    ...normalise(body, 'kept'),
    ...defined({ secret_hint: body.secret_hint }),
  }),
  hash: ({ secret: _secret, secret_hint: hint, ...normal }) =>
    fingerprint({
      ...normal,
      ...(hint === undefined ? {} : { secret_hint: slowHash('secret', String(hint)) }),
      headers: Object.fromEntries(
        Object.entries(headersOf(normal)).map(([name, value]) => [name, slowHash(name, value)]),
      ),
    }),
  diffField,
  outline: (body) => [
    urlOf(body),
    setOf(body.events).length === 1
      ? setOf(body.events)[0]
      : `${setOf(body.events).length} event types`,
    isNothing(body.filters) ? undefined : `filters: ${sayFields(Object(body.filters)).join('; ')}`,
    body.active === false ? 'paused' : undefined,
    // Whoever approves it has to see what is read from the environment, and sent there.
    isNothing(body.secret) ? undefined : `secret ${String(body.secret)}`,
    ...Object.entries(headersOf(body)).map(([name, value]) => `${name}: ${value}`),
  ],
  outlined: ['url', 'filters', 'active', 'secret', 'headers'],
  wanted,
  shownLive,
  beyondContent,
  noteOn: ({ key, written }, live) =>
    isDisabledByService(live) && written.active === undefined
      ? `${key} was disabled by the service (${String(live.disabled_reason)}) and stays disabled. To enable it, set active: true in the file.`
      : undefined,
  reveal(key, shown, live, secrets) {
    const given = typeof shown.secret === 'string' ? shown.secret : undefined;
    const secret =
      given === writtenOut
        ? secrets.writtenOut(key, 'secret')
        : given === undefined || !isReference(given)
          ? undefined
          : secrets.expand(given);
    const liveHint = live?.secret_hint;
    return {
      ...shown,
      ...defined({ secret }),
      ...(shown.headers === undefined
        ? {}
        : {
            headers: revealHeaders(
              key,
              shown.headers as Headers, // parsed as such, from a file or a plan
              live ? headersOf(live) : {},
              secrets,
            ),
          }),
      ...(liveHint === undefined
        ? {}
        : { secret_hint: secret === undefined ? liveHint : hintOf(secret) }),
    };
  },
  withoutExtensions,
};

/** The names of the variables that a webhook of a plan refers to. */
export const variablesOf = (shown: Body): string[] => [
  ...new Set(
    [String(shown.secret ?? ''), ...Object.values(headersOf(shown))].flatMap((text) =>
      referencesOf(text),
    ),
  ),
];

/** Whether a webhook of a plan lacks what its file writes out, so that the plan alone cannot be applied. */
export const lacksWrittenOut = (shown: Body): boolean =>
  shown.secret === writtenOut || Object.values(headersOf(shown)).includes(writtenOut);
