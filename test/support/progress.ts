/** Whether `test/long.js` runs the test, and somebody waits for it. */
export const isWatched = process.env['GOVCTL_PROGRESS'] !== undefined;

/** Past the reporter, which holds lines back. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`);
