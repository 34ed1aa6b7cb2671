/** A whole number as people read it: 65,536. */
export const inThrees = (amount: number): string => amount.toLocaleString('en-US');
