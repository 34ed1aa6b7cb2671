import { isReference, referencesOf } from '../documents/reference.ts';
import type { WebhookDocument } from '../documents/webhook.ts';
import { makeWebhookKey } from '../key.ts';
import { canonicalUrl } from '../kinds/webhook.ts';
import { isSensitive } from '../kinds/webhook-secrets.ts';
import type { LocalWebhook, Problem, Reference } from '../model.ts';
import type { Identity } from '../key.ts';
import type { FieldPath } from './locate.ts';
import { documentSpan, fieldSpan } from './locate.ts';
import type { RawDocument } from './parse-yaml.ts';
import type { Source } from './source.ts';
import { problemAt } from './source.ts';

/** What a webhook is known by, even where the rest of it is wrong. */
export function webhookIdentity(fields: Readonly<Record<string, unknown>>): {
  identity?: Identity;
} {
  const { url, name, key } = fields;
  if (typeof url !== 'string') return {};
  const given = typeof key === 'string' ? key : undefined;
  const named = typeof name === 'string' ? name : undefined;
  return {
    identity: {
      kind: 'Webhook',
      name: canonicalUrl(url),
      key: given ?? makeWebhookKey(url, named),
      keyField: given !== undefined ? 'key' : named !== undefined ? 'name' : 'url',
    },
  };
}

/** A webhook whose schema is satisfied: where it names variables, and what it writes out that it should not. */
export function readWebhook(
  source: Source,
  raw: RawDocument,
  document: WebhookDocument,
): { webhook: LocalWebhook; identity?: Identity; problems: Problem[] } {
  const { key, ...rest } = document;
  const webhook: LocalWebhook['webhook'] & { kind?: 'Webhook' } = rest;
  delete webhook.kind;
  const texts: (readonly [FieldPath, string])[] = [
    [['secret'], webhook.secret],
    ...Object.entries(webhook.headers ?? {}).map(
      ([name, value]) => [['headers', name], value] as const,
    ),
  ];
  return {
    webhook: {
      key: key ?? makeWebhookKey(webhook.url, webhook.name),
      webhook,
      place: source.place(documentSpan(raw).start),
      references: texts.flatMap(([path, text]) =>
        referencesOf(text).map((variable) => referenceAt(source, raw, path, variable)),
      ),
    },
    ...webhookIdentity(document),
    problems: texts
      .filter(([path, text]) =>
        path[0] === 'secret'
          ? !isReference(text)
          : isSensitive(String(path[1])) && referencesOf(text).length === 0,
      )
      .map(([path, text]) => plainSecret(source, raw, path, text)),
  };
}

function referenceAt(
  source: Source,
  raw: RawDocument,
  path: FieldPath,
  variable: string,
): Reference {
  const { file, line, column, excerpt } = problemAt(source, fieldSpan(source, raw, path), {
    code: '',
    message: '',
  });
  return { variable, path: path.join('.'), file, line, column, ...(excerpt ? { excerpt } : {}) };
}

function plainSecret(source: Source, raw: RawDocument, path: FieldPath, text: string): Problem {
  const [field, header] = path;
  return problemAt(source, fieldSpan(source, raw, path), {
    level: 'warning',
    code: 'plain-secret',
    message:
      header === undefined
        ? 'the secret is in plain text and would stay in the git history'
        : `the header ${header} appears to contain a secret in plain text, which would stay in the git history`,
    hint: `Use ${header === undefined ? `${String(field)}: \${WEBHOOK_SECRET}` : headerExample(String(header), text)} to read the value from the environment, and rotate this secret.`,
    secret: true,
  });
}

/** `X-Api-Key: ${API_KEY}`, `Authorization: Bearer ${TOKEN}`: how a header names its secret. */
function headerExample(header: string, text: string): string {
  if (/^authorization$/i.test(header)) {
    const scheme = /^(basic|digest|token) /i.exec(text)?.[1] ?? 'Bearer';
    return `${header}: ${scheme} \${TOKEN}`;
  }
  const variable = header
    .toUpperCase()
    .replace(/^X-/, '')
    .replace(/[^A-Z0-9]+/g, '_');
  // No digit may come first, and none of govctl's own logins may be meant.
  return `${header}: \${${/^[A-Z]/.test(variable) && !variable.startsWith('GOVCTL_') ? variable : 'TOKEN'}}`;
}
