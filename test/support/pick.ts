/** A whole number under a bound. */
export type Pick = (bound: number) => number;

/** Numbers that a seed decides: a linear congruential generator, with the constants of Numerical Recipes. */
export function createPick(seed: number): Pick {
  let state = seed >>> 0;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

export const oneOf = <T>(pick: Pick, all: readonly T[]): T => all[pick(all.length)] as T; // within the bound
