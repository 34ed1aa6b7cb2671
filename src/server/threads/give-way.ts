import { getPriority, setPriority } from 'node:os';

/** How much nicer a thread is than the one that answers: it gets a tenth of the time where both want all of a core. */
const nicer = 10;
/** The nicest that Linux knows. */
const nicest = 19;

/** Puts the calling thread behind the one that answers. On systems other than Linux it would be the whole process. */
export function giveWay(): void {
  if (process.platform === 'linux') setPriority(Math.min(nicest, getPriority(process.pid) + nicer));
}
