/**
 * Acts on keys until q, Ctrl-C or the end of them: `r` resends the last delivery, digits before it choose another.
 * @param resend a number counted from 1, or undefined for the last
 */
export async function readKeys(
  keys: AsyncIterable<string>,
  resend: (number: number | undefined) => Promise<void>,
): Promise<void> {
  let digits = '';
  for await (const key of keys) {
    // Raw keys: Ctrl-C and Ctrl-D come as characters.
    if (key === 'q' || key === '\u0003' || key === '\u0004') return;
    if (/^\d$/.test(key)) digits = (digits + key).slice(-6);
    else if (key === 'r') {
      await resend(digits === '' ? undefined : Number(digits));
      digits = '';
    } else if (key !== ' ') digits = '';
  }
}
