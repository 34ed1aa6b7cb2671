import { setPriority } from 'node:os';

/** Of a thread's work beside that of answers: about a third where both would take all of a core. */
const niceness = 5;

/** Lets the thread that calls it go behind the one that answers. Elsewhere than on Linux it would be the whole process. */
export function giveWay(): void {
  if (process.platform === 'linux') setPriority(niceness);
}
