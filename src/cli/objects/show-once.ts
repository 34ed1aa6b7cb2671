import type { View } from '../terminal/output.ts';

/**
 * A view of a new object with a secret that is shown only once.
 * @param field its JSON name
 * @param label default: the field's name
 */
export const showOnce = (view: View, field: string, secret: string, label = field): View => ({
  ...view,
  isSecret: true,
  value: { ...view.value, [field]: secret },
  human: (style, columns) => {
    const title = label.charAt(0).toUpperCase() + label.slice(1);
    return `${view.human(style, columns)}${title}  ${style.bold(secret)}   (shown only once)\n`;
  },
});
