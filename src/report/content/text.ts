/** Characters of a text from outside that a report shows. */
const most = 1_000;

/** A text as a cell shows it. What is longer is cut between characters, and says so. */
export const brief = (text: string): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')} …`;
