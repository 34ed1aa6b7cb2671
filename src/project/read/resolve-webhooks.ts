import { expandReferences, referencesOf } from '../documents/reference.ts';
import type { Environment } from '../documents/variable.ts';
import { misplacedFault, variableFault, variableHint } from '../documents/variable.ts';
import type { LocalDocument, Secrets, Unset } from '../kinds/kind.ts';
import { webhookKind } from '../kinds/webhook.ts';
import { createSecrets, isSensitive } from '../kinds/webhook-secrets.ts';
import type { LocalWebhook, Problem, Reference } from '../model.ts';

export interface ResolvedWebhooks {
  readonly documents: readonly LocalDocument[];
  readonly secrets: Secrets;
  /** The values of the variables by their names, for a plan that is going to be saved. */
  readonly variables: ReadonlyMap<string, string>;
  /** Variables that are needed and can't be used, each at its place. */
  readonly problems: readonly Problem[];
}

/**
 * Webhooks with the values of the variables they name. Where one that is not needed lacks some, the references stay
 * as they are, so that it differs from whatever is live.
 */
export function resolveWebhooks(
  webhooks: readonly LocalWebhook[],
  env: Environment,
  isNeeded: (webhook: LocalWebhook) => boolean,
): ResolvedWebhooks {
  const variables = new Map<string, string>();
  const writtenOut = new Map<string, string>();
  const problems: Problem[] = [];
  const unset = new Map<LocalWebhook, Unset[]>();
  for (const local of webhooks) {
    for (const reference of local.references) {
      const { variable, path } = reference;
      const value = env[variable] ?? '';
      const fault = variableFault(env, variable) ?? misplacedFault(path, variable, value);
      if (fault === undefined) {
        variables.set(variable, value);
        continue;
      }
      unset.set(local, [...(unset.get(local) ?? []), { variable, path, fault }]);
      if (isNeeded(local)) problems.push(problemOf(reference, fault));
    }
    for (const [path, text] of writtenOutIn(local)) writtenOut.set(`${local.key}\n${path}`, text);
  }
  const expand = (text: string): string =>
    expandReferences(text, (name) => variables.get(name) ?? `\${${name}}`);
  return {
    documents: webhooks.map((local) => documentOf(local, expand, unset.get(local))),
    secrets: createSecrets(variables, writtenOut),
    variables,
    problems,
  };
}

function problemOf(reference: Reference, message: string): Problem {
  const { file, line, column, excerpt } = reference;
  const place = { file, line, column, ...(excerpt ? { excerpt } : {}) };
  return { level: 'error', code: 'variable', message, hint: variableHint, ...place };
}

function documentOf(
  local: LocalWebhook,
  expand: (text: string) => string,
  unset: readonly Unset[] | undefined,
): LocalDocument {
  const { key, webhook, place } = local;
  const { headers } = webhook;
  return {
    kind: webhookKind,
    key,
    written: webhook,
    body: {
      ...webhook,
      secret: expand(webhook.secret),
      ...(headers
        ? {
            headers: Object.fromEntries(
              Object.entries(headers).map(([name, value]) => [name, expand(value)]),
            ),
          }
        : {}),
    },
    place,
    ...(unset ? { unset } : {}),
  };
}

/** Secrets that a file tells itself, by where in it. */
function writtenOutIn({ webhook }: LocalWebhook): (readonly [string, string])[] {
  const told = [
    ['secret', webhook.secret] as const,
    ...Object.entries(webhook.headers ?? {})
      .filter(([name]) => isSensitive(name))
      .map(([name, value]) => [`headers.${name.toLowerCase()}`, value] as const),
  ];
  return told.filter(([, text]) => referencesOf(text).length === 0);
}
