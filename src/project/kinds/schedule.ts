import { isSchedulesMissing, scheduleObjects } from '../../client/objects.ts';
import { byCodeUnit, canonicalJson } from '../../contract/canonical-json.ts';
import { fingerprint } from '../compare/fingerprint.ts';
import { makeKey } from '../key.ts';
import { isOwnershipTag } from '../compare/ownership.ts';
import type { LocalSchedule } from '../model.ts';
import { diffObjects } from './diff-objects.ts';
import type { Body, Kind, LocalDocument, Wanted } from './kind.ts';

const fields = [
  'name',
  'description',
  'schedule',
  'report_template',
  'delivery',
  'enabled',
  'tags',
] as const;

/** What the API takes for not given. */
const defaults: Readonly<Record<string, unknown>> = {
  'schedule.timezone': 'UTC',
  'report_template.format_options.formats': ['pdf'],
  'report_template.format_options.include_executive_summary': true,
  'report_template.format_options.include_detailed_findings': true,
  'report_template.format_options.include_cost': false,
  'report_template.format_options.security.sign': false,
  'delivery.email.attach': true,
  'delivery.sftp.port': 22,
};

/** What a service answers in place of a secret, which no file says. */
const answeredOnly: readonly string[] = [
  'report_template.format_options.security.protected',
  'delivery.webhook.secret_hint',
];

/** Lists in which order says nothing. */
const sets: readonly string[] = [
  'report_template.scope.environments',
  'report_template.scope.cloud_providers',
  'report_template.format_options.formats',
  'delivery.email.recipients',
];

/** What a schedule says, in one spelling for each meaning. */
function normalise(body: Body, ownership: 'kept' | 'dropped'): Body {
  const tags = (Array.isArray(body.tags) ? body.tags.map(String) : []).filter(
    (tag) => ownership === 'kept' || !isOwnershipTag(tag),
  );
  const timing = objectOf(body.schedule);
  return plainObject('', {
    name: body.name,
    description: body.description,
    schedule: { ...timing, cron: String(timing.cron).trim().replace(/\s+/g, ' ') },
    report_template: body.report_template,
    delivery: body.delivery,
    enabled: body.enabled ?? true,
    tags: [...new Set(tags)].sort(byCodeUnit),
  });
}

// What is no object says nothing.
const objectOf = (value: unknown): Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {};

/** Without defaults, and without what is empty: an empty text, list or object, null and absence are one. */
function plainObject(path: string, body: Body): Body {
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      const at = path === '' ? name : `${path}.${name}`;
      if (answeredOnly.includes(at)) return [];
      const plain = plainValue(at, value);
      const isDefault = canonicalJson(plain ?? null) === canonicalJson(defaults[at] ?? null);
      return isNothing(plain) || isDefault ? [] : [[name, plain] as const];
    }),
  );
}

function plainValue(path: string, value: unknown): unknown {
  if (Array.isArray(value)) {
    return sets.includes(path) ? [...new Set(value.map(String))].sort(byCodeUnit) : value;
  }
  return typeof value === 'object' && value !== null ? plainObject(path, value as Body) : value;
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** What a file can't say stays as it is: a password, and the secret that a webhook is signed with. */
function wanted(
  { body }: LocalDocument,
  live: Body | undefined,
  keepsTags: boolean | undefined,
): Wanted {
  const template = objectOf(body.report_template);
  const format = objectOf(template.format_options);
  const liveFormat = objectOf(objectOf(live?.report_template).format_options);
  const isProtected = objectOf(liveFormat.security).protected === true;
  const delivery = objectOf(body.delivery);
  const webhook = objectOf(delivery.webhook);
  const liveWebhook = objectOf(objectOf(live?.delivery).webhook);
  const keepsSecret =
    liveWebhook.secret_hint !== undefined &&
    webhook.secret_env === undefined &&
    webhook.url === liveWebhook.url;
  const real = {
    ...body,
    ...(isProtected
      ? {
          report_template: {
            ...template,
            format_options: {
              ...format,
              security: { ...objectOf(format.security), protected: true },
            },
          },
        }
      : {}),
    ...(keepsSecret
      ? {
          delivery: {
            ...delivery,
            webhook: { ...webhook, secret_hint: liveWebhook.secret_hint },
          },
        }
      : {}),
  };
  const whole = keepsTags === false ? withoutExtensions(real) : real;
  return { real: whole, shown: whole };
}

/** Tags are our server's. */
const withoutExtensions = (body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([field]) => field !== 'tags'));

/** Where reports go, which whoever approves a plan has to see; of an address that is a secret itself, its host. */
function sayChannel([kind, channel]: readonly [string, unknown]): string {
  const { webhook_url: secretUrl, recipients, ...named } = objectOf(channel);
  const places = [
    ...(Array.isArray(recipients) ? recipients : []),
    ...['channel', 'webhook_url_env', 'url', 'host', 'bucket', 'endpoint'].map(
      (name) => named[name],
    ),
    typeof secretUrl === 'string' && URL.canParse(secretUrl) ? new URL(secretUrl).host : undefined,
  ].filter((place) => typeof place === 'string');
  return `to ${kind.replaceAll('_', ' ')} ${places.join(', ')}`.trimEnd();
}

export const scheduleKind: Kind = {
  name: 'Schedule',
  noun: { one: 'schedule', many: 'schedules' },
  objects: scheduleObjects,
  isOurs: false,
  isMissing: isSchedulesMissing,
  fields,
  writeOnly: [],
  identity: 'name',
  isUnique: false,
  guardsEmpty: false,
  changed: 'file changed',
  turn: { write: 1, delete: 1 },
  // A service that lists schedules is ours, or loses them at the first change, which is noticed.
  keepsTags: async () => true,
  titleOf: ({ name }) => String(name),
  keyOf: ({ name }) => makeKey(String(name)),
  identityOf: ({ name }) => String(name),
  content: (body) => normalise(body, 'dropped'),
  state: (body) => normalise(body, 'kept'),
  hash: (normal) => fingerprint(normal),
  diffField: diffObjects,
  outline: (body) => {
    const { cron, timezone } = objectOf(body.schedule);
    const { type, framework } = objectOf(body.report_template);
    return [
      `${String(cron)} ${String(timezone ?? 'UTC')}`,
      [type, framework].filter((part) => typeof part === 'string').join(' '),
      ...Object.entries(objectOf(body.delivery)).map(sayChannel),
      body.enabled === false ? 'disabled' : undefined,
    ];
  },
  outlined: ['enabled'],
  wanted,
  shownLive: (live) => live,
  beyondContent: () => undefined,
  noteOn: () => undefined,
  reveal: (_key, shown) => shown,
  withoutExtensions,
};

export const scheduleDocument = ({ key, schedule, place }: LocalSchedule): LocalDocument => ({
  kind: scheduleKind,
  key,
  written: schedule,
  body: schedule,
  place,
});
