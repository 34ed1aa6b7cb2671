import type { View } from '../terminal/output.ts';

/** A new object with the secret that nobody is shown again; `field` is its name in JSON, and heads it for people. */
export const showOnce = (view: View, field: string, secret: string): View => ({
  ...view,
  value: { ...view.value, [field]: secret },
  human: (style, columns) => {
    const title = field.charAt(0).toUpperCase() + field.slice(1);
    return `${view.human(style, columns)}${title}  ${style.bold(secret)}   shown this once\n`;
  },
});
