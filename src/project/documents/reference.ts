/** `${NAME}` in a file stands for the environment variable of that name. */
const pattern = /\$\{([^}]*)\}/g;
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A text that is one reference and nothing else. */
const whole = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;

/** govctl's own logins: a file of somebody's must not be able to send them anywhere. */
const ownLogins = [
  'GOVCTL_TOKEN',
  'GOVCTL_SIGNING_SECRET',
  'GOVCTL_CLIENT_SECRET',
  'GOVCTL_SERVER_API_KEY',
  'GOVCTL_SERVER_SECRET_KEY',
  'GOVCTL_SMTP_URL',
];

export const isReference = (text: string): boolean => whole.test(text);

/** The names that a text refers to, in order, each once. */
export const referencesOf = (text: string): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name)),
];

/** What is wrong with the references of a text; undefined: nothing. */
export function referenceFault(text: string): string | undefined {
  for (const name of referencesOf(text)) {
    if (!variableName.test(name)) {
      return `\${${name}} is not an environment variable reference such as \${WEBHOOK_SECRET}`;
    }
    // Windows tells no case apart in the names of variables.
    if (ownLogins.includes(name.toUpperCase()))
      return `${name} is govctl's own credential and cannot be sent elsewhere`;
  }
  return text.replace(pattern, '').includes('${') ? 'a ${ without a closing }' : undefined;
}

/** A text with the value of each reference in its place. */
export const expandReferences = (text: string, valueOf: (name: string) => string): string =>
  text.replace(pattern, (_, name: string) => valueOf(name));
