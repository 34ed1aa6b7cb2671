import path from 'node:path';
import * as z from 'zod';
import { PolicyType } from '../../contract/policies.ts';
import { readRemediationAction } from '../../contract/remediation-action.ts';
import { approvals } from '../../contract/remediations.ts';
import { webhookSecret } from '../../contract/webhooks.ts';
import { checkAction } from '../../engine/remediation/check-action.ts';
import { autoModes } from './config.ts';
import { isBoundTo, isHostEntry, placeOfUrl, showPlace } from './binding.ts';

const word = z.string().min(1).max(4_096);
const words = z.array(word).max(1_000);

/** Seconds that a command may take. */
const longestCommand = 600;

const absolute = word.refine((text) => path.isAbsolute(text), 'must be an absolute path');

const Command = z.strictObject({
  /** The program, then its arguments. */
  command: z
    .array(
      z
        .string()
        .max(4_096)
        .refine((text) => !text.includes('\0'), 'must not contain NUL'),
    )
    .min(1)
    .max(1_000)
    .refine(([program = '']) => path.isAbsolute(program), 'must begin with an absolute path'),
  /** The variables that it gets; no others. */
  env: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a variable name')
        .refine((name) => !/^GOVCTL_/i.test(name), 'must not be a variable of govctl'),
    )
    .max(100)
    .optional(),
  timeout_seconds: z.int().min(1).max(longestCommand).optional(),
  cwd: absolute.optional(),
});

const Executor = word.refine(
  (text) => text === 'inventory' || /^(exec|webhook):/.test(text),
  'must be inventory, exec:NAME or webhook:URL',
);

const ListedPolicy = z
  .string()
  .regex(
    /^pol_\w{1,60}@[0-9a-f]{12}$/,
    'must be the ID of a policy and its fingerprint, such as pol_…@3f9a0c71d2e4; `govctl remediate plan --policy ID -o json` shows the fingerprint',
  );

export const Remediation = z
  .strictObject({
    approval: z.enum(approvals).optional(),
    guards: z
      .strictObject({
        max_resources: z.int().min(1).max(1_000),
        max_percent: z.number().min(0).max(100),
        max_accounts: z.int().min(1),
        max_environments: z.int().min(1),
        accounts: words,
        exclude_environments: words,
        exclude_tags: words,
      })
      .partial()
      .optional(),
    auto: z.enum(autoModes).optional(),
    /** Actions in an hour, per policy. */
    rate: z.int().min(1).max(1_000).optional(),
    auto_commands: z.array(ListedPolicy).max(1_000).optional(),
    parameters: z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), word).optional(),
    /** By resource type or pattern. */
    executors: z.record(PolicyType, Executor).optional(),
    commands: z
      .record(
        z.string().refine((name) => isCommandName(name), 'must be a name such as close-bucket'),
        Command,
      )
      .optional(),
    /** By host, with its port if that is not 443. */
    webhooks: z
      .record(
        z.string().refine(isHostEntry, 'must be a host such as fixes.example.com'),
        z.strictObject({ secret: webhookSecret }),
      )
      .optional(),
  })
  .superRefine((given, context) => {
    for (const [type, executor] of Object.entries(given.executors ?? {})) {
      const message = whyUnbound(executor, given);
      if (message !== undefined) context.addIssue({ code: 'custom', path: ['executors', type], message }); // prettier-ignore
    }
  });
export type Remediation = z.infer<typeof Remediation>;

const whyUnfit = (text: string): string | undefined =>
  checkAction({ text, rules: [], whyUnfit: () => undefined });

const isCommandName = (name: string): boolean => whyUnfit(`exec:${name}`) === undefined;

/** Why nothing can be carried out by an executor, if so. */
function whyUnbound(executor: string, { commands = {}, webhooks = {} }: Remediation) {
  const read = readRemediationAction(executor);
  if (read.kind === 'exec') {
    return Object.hasOwn(commands, read.name)
      ? undefined
      : `refers to the command ${read.name}, which is missing in remediation.commands`;
  }
  if (read.kind !== 'webhook') return undefined;
  const unfit = whyUnfit(executor);
  if (unfit !== undefined) return unfit;
  // Everyone who can read a plan sees it.
  if (new URL(read.url).search !== '')
    return 'must be a URL without a query, because plans show the URL';
  const place = placeOfUrl(read.url);
  return place && isBoundTo({ hosts: Object.keys(webhooks) }, place)
    ? undefined
    : `requires a secret: add ${place ? showPlace(place) : 'its host'} to remediation.webhooks`;
}
