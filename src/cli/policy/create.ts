import { defined } from '../../contract/defined.ts';
import { createObject, policyObjects } from '../../client/objects.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { PolicyInput } from '../../contract/policies.ts';
import type { Context } from '../context.ts';
import { describePolicy, policyView } from './policy-view.ts';
import { shownBy } from '../objects/shown-by.ts';
import { readFields } from '../flags/read-fields.ts';

export interface CreateOptions {
  readonly file?: string;
  readonly name?: string;
  readonly type?: string;
  readonly description?: string;
  readonly severity?: string;
  readonly deny?: readonly string[];
  readonly allow?: readonly string[];
  readonly message?: string;
  readonly framework?: readonly string[];
  readonly tag?: readonly string[];
  readonly disabled?: boolean;
}

export async function runCreate(context: Context, options: CreateOptions): Promise<ExitCode> {
  const input = await readInput(context, options);
  const client = await context.client();
  const { item: policy } = await context.progress('Creating policy', () =>
    createObject(client, policyObjects, input),
  );
  if (policy) {
    await context.show(
      policyView(
        policy,
        await shownBy(context, policy, {
          headline: (style) => `${style.green('Created')} ${policy.id}`,
        }),
      ),
    );
  } else {
    // The description shows no body for this answer: another server may send none.
    await context.show({
      value: input,
      human: (style) =>
        `${style.green('Created')}\n${describePolicy({ id: '', ...input }, style, (id) => id)}`,
    });
  }
  return exitCodes.ok;
}

async function readInput({ world }: Context, options: CreateOptions): Promise<PolicyInput> {
  const { file, ...flags } = options;
  const given = Object.entries(flags).filter(
    ([name, value]) => name !== 'args' && value !== undefined,
  );
  if (file !== undefined) {
    if (given.length === 0) return readFields(world, file, PolicyInput);
    throw new GovctlError('usage_error', `Use either --file or --${given[0]?.[0]}`, {
      hint: 'Set the field in the file instead.',
    });
  }
  if (given.length === 0) {
    throw new GovctlError('usage_error', 'No policy specified', {
      hint: 'Use -f FILE (- for standard input), or --name, --type and --deny.',
    });
  }
  return inputFromFlags(flags);
}

function inputFromFlags(options: Omit<CreateOptions, 'file'>): PolicyInput {
  const required = [
    ['--name', options.name],
    ['--type', options.type],
    ['--deny or --allow', options.deny ?? options.allow],
  ] as const;
  const missing = required.filter(([, value]) => value === undefined).map(([flag]) => flag);
  if (missing.length > 0) {
    throw new GovctlError('usage_error', `A policy requires ${missing.join(' and ')}`);
  }
  const rule = (effect: 'ALLOW' | 'DENY') => (condition: string) => ({
    condition,
    effect,
    ...(options.message ? { message: options.message } : {}),
  });
  const parsed = PolicyInput.safeParse({
    name: options.name,
    resource_type: options.type,
    rules: [...(options.deny ?? []).map(rule('DENY')), ...(options.allow ?? []).map(rule('ALLOW'))],
    enabled: !options.disabled,
    ...defined({ description: options.description, severity: options.severity }),
    ...(options.framework ? { compliance_frameworks: options.framework } : {}),
    ...(options.tag ? { tags: options.tag } : {}),
  });
  if (parsed.success) return parsed.data;
  throw new GovctlError('usage_error', 'Invalid policy', {
    details: parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message })),
  });
}
