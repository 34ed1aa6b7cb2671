import * as z from 'zod';
import { minSecretLength } from '../../contract/webhooks.ts';
import { PredictionMethod, predictionMethods } from '../../contract/predictions.ts';
import { CostGrouping } from '../../contract/cost.ts';
import { isProperRange } from '../http/address.ts';
import { isBucketEntry, isHostEntry } from './binding.ts';
import { Remediation } from './remediation-schema.ts';
import { RetentionFields } from './retention.ts';
import { SignIn } from './sign-in.ts';

const text = z.string().min(1).max(4_096);
const address = z.string().min(3).max(512);
/** Of an incoming webhook. */
const hook = text.refine(isHttp);

const Port = z.union([z.int(), z.string().regex(/^\d{1,5}$/).transform(Number)]).pipe(z.int().min(1).max(65_535)); // prettier-ignore

const bindings = {
  hosts: z
    .array(
      text.refine(
        isHostEntry,
        'must be a host such as files.example.com, files.example.com:2222 or *.example.com',
      ),
    )
    .max(100)
    .optional(),
  buckets: z
    .array(text.refine(isBucketEntry, 'must be a bucket name, such as reports or reports-*'))
    .max(100)
    .optional(),
};

/** A secret that is written out alone, the form of earlier versions, is bound to nothing. */
const BoundSecret = z.preprocess(
  (given) => (typeof given === 'string' ? { value: given } : given),
  z.strictObject({ value: text.optional(), ...bindings }),
);

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

const percents = z
  .record(z.string().min(1).max(256), z.number().gt(0).max(100))
  .refine(
    (shares) => Math.round(Object.values(shares).reduce((sum, one) => sum + one, 0) * 1e4) === 1e6,
    'must be percentages that add up to 100',
  );

/** Cost that is split among the groups of an analysis. */
const SharedCost = z.strictObject({
  name: z.string().min(1).max(100),
  /** The charges: those with one of the values of each field. */
  match: z
    .record(
      z
        .string()
        .regex(
          /^(provider|billing_account|account|service|service_category|category|region|resource|tag:.{1,128})$/s,
          'must be provider, billing_account, account, service, service_category, category, region, resource or tag:KEY',
        ),
      z.array(z.string().min(1).max(2_048)).min(1).max(100),
    )
    .refine((fields) => Object.keys(fields).length > 0, 'must have at least one field'),
  group_by: CostGrouping,
  split: z.union([z.enum(['even', 'proportional']), z.strictObject({ fixed: percents })]),
});

/** What the file of `--config` may say. */
export const ConfigFile = z.strictObject({
  trusted_proxies: z
    .array(
      text.refine(
        isProperRange,
        'must be an address range smaller than all addresses, such as 10.0.0.0/8 or 192.0.2.1/32',
      ),
    )
    .min(1)
    .max(1_000)
    .optional(),
  smtp: z
    .strictObject({
      /** As in `smtp://user:password@smtp.example.com:587`; in place of the five after it. */
      url: text.optional(),
      host: text.optional(),
      port: Port.optional(),
      user: text.optional(),
      password: text.optional(),
      tls: z.enum(['tls', 'starttls', 'none']).optional(),
      /** PEM of who may sign the server's certificate, from the folder of the file. */
      ca_file: text.optional(),
      from: address,
      reply_to: address.optional(),
    })
    .optional(),
  chat: z.strictObject({ channels: z.record(z.string(), hook) }).optional(),
  object_storage: z
    .strictObject({
      access_key_id: text,
      secret_access_key: text,
      session_token: text.optional(),
      ...bindings,
    })
    .optional(),
  secrets: z.record(z.string().regex(variableName), BoundSecret).optional(),
  organization: z.string().min(1).max(256).optional(),
  /** Of resources: the value of the first that one has is its owner. */
  owner_tags: z.array(z.string().min(1).max(256)).min(1).max(20).optional(),
  cost: z
    .strictObject({
      /** Keys of the tags that charges can be grouped by, in any case. */
      tags: z.array(z.string().min(1).max(128)).max(20).optional(),
      shared: z
        .array(SharedCost)
        .max(50)
        .refine(
          (rules) => new Set(rules.map(({ name }) => name)).size === rules.length,
          'has duplicate names',
        ) // prettier-ignore
        .optional(),
      /** Below these, no cost is an anomaly: in units of its currency, and in percent of what was expected. */
      anomalies: z
        .strictObject({
          min_impact: z.number().min(0).max(1e12).optional(),
          min_percent: z.number().min(1).max(10_000).optional(),
        })
        .optional(),
    })
    .optional(),
  prediction: z
    .strictObject({
      /** Those that are on; default: those that need no guess. */
      methods: z.array(PredictionMethod).max(predictionMethods.length).optional(),
    })
    .optional(),
  remediation: Remediation.optional(),
  /** A database of countries in the MaxMind DB format, from the folder of the file: for API keys with `countries`. */
  country_database: text.optional(),
  retention: RetentionFields.optional(),
  sign_in: SignIn.optional(),
});
export type ConfigFile = z.infer<typeof ConfigFile>;

const secretFields = ['smtp.url', 'smtp.password', 'object_storage.secret_access_key', 'object_storage.session_token', 'sign_in.company.client_secret']; // prettier-ignore

function isHttp(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** The rule for a field whose value must not be shown. */
export const secretRule = ([top, , field]: readonly PropertyKey[]): string => {
  if (top === 'remediation') return `must be a string of ${minSecretLength} to 1,024 characters`;
  if (top === 'chat') return 'must be a URL that begins with https:// or http://';
  return top === 'secrets' && field === undefined
    ? 'must be a variable name with the hosts that may receive the value, as in SFTP_PASSWORD: {hosts: [files.example.com]}'
    : 'must be a non-empty string';
};

/** Whether the value at a path must not be shown. */
export function isSecret(path: readonly PropertyKey[]): boolean {
  const [top, second] = path;
  if (top === 'secrets') return path.length === 2 || path[2] === 'value';
  if (top === 'chat' && second === 'channels' && path.length > 2) return true;
  // A host has dots.
  if (top === 'remediation' && second === 'webhooks') return path.at(-1) === 'secret';
  return secretFields.includes(path.join('.'));
}

/** Whether every user of the machine can see what stands there: arguments of commands. */
export const isReadableByOthers = ([top, second, , field]: readonly PropertyKey[]): boolean =>
  top === 'remediation' && second === 'commands' && field === 'command';
