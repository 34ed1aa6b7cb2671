/** What a password begins with, as it is written out: no variable, placeholder, reference or option. */
const word = String.raw`[A-Za-z0-9_+][A-Za-z0-9!@#%^&*_+-]{5}`;
const name = String.raw`(?:password|passwd|passphrase)`;

/** Passwords and tokens that a script, a document of cloud-init or a configuration file sets. */
const passwords = [
  // NAME=value. Not what the script asks another program or service for: $(...), `...`, {{resolve:...}}.
  String.raw`(?:${name}|api_?key|(?:auth|access|api|bot|github|gitlab|npm|vault)_?token|client_?secret|secret_?key)=["']?${word}`,
  // Connection strings
  String.raw`\b(?:account|shared_?access)_?key=[^;$@{<%\s"']{6}`,
  String.raw`;[ \t]{0,4}(?:password|pwd)[ \t]{0,4}=[ \t]{0,4}[^;$@{<%\s"']{4}`,
  // name = value, in files and in PowerShell; no call
  String.raw`^[ \t]{0,40}[$\w.:-]{0,40}${name}[ \t]{1,4}=[ \t]{1,4}["']${word}`,
  String.raw`^[ \t]{0,40}[\w.:-]{0,40}${name}[ \t]{1,4}=[ \t]{1,4}${word}[^\s("'$<{\x60]{0,64}[ \t\r]{0,4}$`,
  // name: value, in YAML and JSON
  String.raw`(?:^[ \t]{0,40}(?:- {1,4})?|[{,][ \t]{0,4}|["'])[\w.-]{0,40}${name}(?:["'][ \t]{0,4}:[ \t]{0,4}|:[ \t]{1,4})["']?${word}`,
  // --password value
  String.raw`\s-{1,2}(?!-|no-)[\w-]{0,30}${name}[ \t]{1,4}["']?${word}`,
  String.raw`\b(?:docker|podman|nerdctl|helm|oc|az)[ \t][^\n|;&]{0,100}?login(?=[ \t])[^\n|;&]{0,200}?[ \t]-p[ \t=]{1,4}["']?${word}`,
  String.raw`\bmysql(?:admin|dump|import|show)?(?=[ \t])[^\n|;&]{0,200}?(?:[ \t]-p["']?|[ \t]password[ \t]{1,4}["']?)${word}`,
  String.raw`\bsshpass[ \t]{1,4}-p[ \t]{0,4}["']?${word}`,
  String.raw`\bredis-cli(?=[ \t])[^\n|;&]{0,200}?[ \t]-a[ \t]{1,4}["']?${word}`,
  String.raw`\bcurl(?=[ \t])[^\n|;&]{0,300}?[ \t](?:-u|--user)[ \t=]{0,4}["']?[\w.@-]{1,64}:${word}`,
  String.raw`\bauthorization["']?[ \t]{0,4}:[ \t]{0,4}["']?(?:bearer|basic|token)[ \t]{1,4}[\w.~+/-]{8}`,
  // user:password
  String.raw`[\w.-]{1,32}:${word}[^\n|;&]{0,64}?\|[ \t]{0,4}(?:sudo[ \t]{1,4})?(?:/usr/sbin/)?chpasswd\b`,
  String.raw`\bchpasswd[ \t]{0,4}<<<[ \t]{0,4}["']?[\w.-]{1,32}:${word}`,
  String.raw`\bchpasswd[^\n]{0,40}<<-?[ \t]{0,4}["']?\w{1,20}["']?\r?\n[ \t]{0,20}[\w.-]{1,32}:${word}`,
  String.raw`^[ \t]{0,20}chpasswd:[^]{0,200}?\blist:[^]{0,20}?\n[ \t]{0,20}(?:- {1,4})?["']?[\w.-]{1,32}:(?!RANDOM\b)${word}`,
  String.raw`\becho[ \t]{1,4}(?:-n[ \t]{1,4})?["']?${word}[^\n|;&]{0,64}?\|[ \t]{0,4}(?:sudo[ \t]{1,4})?passwd[ \t]{1,4}--stdin`,
  String.raw`\bnet1?(?:\.exe)?[ \t]{1,4}user[ \t]{1,4}[\w.-]{1,40}[ \t]{1,4}["']?(?!/)${word}`,
  String.raw`\bConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?["'][^"'$<\n]{4,64}["']`,
  String.raw`\bidentified[ \t]{1,4}(?:with[ \t]{1,4}\w{1,40}[ \t]{1,4})?by[ \t]{1,4}["'][^"'$<{\n]{4,64}["']`,
  String.raw`\b(?:user|role)[ \t][^;\n]{0,80}?\bpassword[ \t]{1,4}'[^'$<{\n]{4,64}'`,
  // scheme://user:password@host, of which all but the password may be a variable or a reference
  String.raw`(?:\b[a-z][a-z0-9+.-]{1,20}|\})://(?:[\w.%$-]|\$\{[^}\s]{1,64}\}){0,64}:[\w!%^&*+~.-]{4,64}@[\w[$%{]`,
].join('|');

/** Credentials by their published forms, and passwords that are written out. All patterns take linear time. */
const forms: readonly (readonly [kind: string, form: RegExp])[] = [
  ['aws_access_key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['aws_secret_key', /aws_?secret_?access_?key["']?\s{0,4}[=:]\s{0,4}["']?[A-Za-z0-9/+=]{40}\b/i],
  ['private_key', /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/],
  ['github_token', /\bgh[pousr]_[A-Za-z0-9]{36}\b/],
  ['google_api_key', /\bAIza[0-9A-Za-z_-]{35}\b/],
  ['slack_token', /\bxox[abprs]-[0-9A-Za-z-]{10}/],
  ['password', new RegExp(passwords, 'im')],
];

/** The kinds of credentials that stand in a text. */
export const credentialsIn = (text: string): readonly string[] =>
  forms.filter(([, form]) => form.test(text)).map(([kind]) => kind);

/**
 * Attributes that list where a fault is, or of which kinds. A message names one in backticks and parentheses, and is shown
 * with what it lists.
 */
export const namedLists = [
  'plaintext_secrets',
  'environment_secrets',
  'user_data.secrets',
  'open_methods',
];
