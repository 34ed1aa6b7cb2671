import { getPriority, setPriority } from 'node:os';

/** Niceness of a worker thread relative to the main thread: it gets a tenth of the CPU time if both want a whole core. */
const nicer = 10;
/** The maximum niceness on Linux. */
const nicest = 19;

/** Lowers the priority of the calling thread. Only on Linux: elsewhere `setPriority` applies to the whole process. */
export function giveWay(): void {
  if (process.platform === 'linux') setPriority(Math.min(nicest, getPriority(process.pid) + nicer));
}
