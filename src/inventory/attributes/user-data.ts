import { UnknownValue } from '../../contract/resources.ts';
import type { Attribute } from './normaliser.ts';
import { isUnknown, joinLists } from './values.ts';

/** Credentials by their published forms, and passwords that a script sets. All patterns take linear time. */
const forms: readonly (readonly [kind: string, form: RegExp])[] = [
  ['aws_access_key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['aws_secret_key', /aws_?secret_?access_?key["']?\s{0,4}[=:]\s{0,4}["']?[A-Za-z0-9/+=]{40}\b/i],
  ['private_key', /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/],
  ['github_token', /\bgh[pousr]_[A-Za-z0-9]{36}\b/],
  ['google_api_key', /\bAIza[0-9A-Za-z_-]{35}\b/],
  ['slack_token', /\bxox[abprs]-[0-9A-Za-z-]{10}/],
  // Not what the script asks another program or service for: $(...), `...`, {{resolve:...}}.
  [
    'password',
    /(?:password|passwd|api_?key|auth_?token|access_?token)=["']?[A-Za-z0-9!@#%^&*_+-]{6}/i,
  ],
];

/**
 * The kinds of credentials that stand in what a machine runs when it starts, as text or in base64. What only the
 * deployment fills in is not written there; a text of which nothing is known may hold any.
 */
export function secretsIn(value: unknown): readonly string[] | UnknownValue {
  if (value === undefined || value === null) return [];
  if (isUnknown(value) && value.text === undefined) {
    return new UnknownValue(value.expression, { present: false });
  }
  const written = isUnknown(value) ? value.text : value;
  if (typeof written !== 'string') return [];
  // Terraform's states keep a hash of it.
  if (/^[0-9a-f]{40}$/.test(written)) return new UnknownValue('a hash of the user data');
  const decoded = fromBase64(written);
  if (decoded?.startsWith('\u001f\u008b')) return new UnknownValue('compressed user data');
  const text = decoded ?? written;
  return forms.filter(([, form]) => form.test(text)).map(([kind]) => kind);
}

/** The same of several texts: one that is not known hides no credential of another. */
export function secretsInAll(values: readonly unknown[]): readonly unknown[] | UnknownValue {
  const found = joinLists(...values.map(secretsIn));
  return isUnknown(found) ? found : [...new Set(found)];
}

function fromBase64(text: string): string | undefined {
  if (text.length < 8 || !/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(text)) return undefined;
  try {
    return atob(text);
  } catch {
    return undefined; // plain text of letters and digits only
  }
}

export const userDataAttribute = {
  'user_data.secrets': {
    type: 'list<string>',
    meaning:
      'kinds of credentials in the code that the machine runs at startup: `aws_access_key`, `aws_secret_key`, `private_key`, `github_token`, `google_api_key`, `slack_token` or `password`; missing where the input does not show it',
  },
} as const satisfies Record<string, Attribute>;
