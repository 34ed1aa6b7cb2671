import type { View } from '../terminal/output.ts';

/** A view of a new object with a secret that is shown only once; `field` is its JSON name and, capitalized, its label. */
export const showOnce = (view: View, field: string, secret: string): View => ({
  ...view,
  isSecret: true,
  value: { ...view.value, [field]: secret },
  human: (style, columns) => {
    const title = field.charAt(0).toUpperCase() + field.slice(1);
    return `${view.human(style, columns)}${title}  ${style.bold(secret)}   shown this once\n`;
  },
});
