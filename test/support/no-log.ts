import type { Log } from '../../src/server/deps.ts';

const forget = (): void => undefined;

export const noLog: Log = { debug: forget, info: forget, warn: forget, error: forget };
