import { printableLine } from './printable.ts';

/** What was typed for something, as a shell takes it once more. */
export const typed = (named: string): string =>
  /^[\w.:/@%+=,-]+$/.test(named) ? named : `'${named.replaceAll("'", `'\\''`)}'`;

interface Policy {
  readonly id: string;
  readonly name: string;
}

/** `--policy` with a policy, as a shell and the flag take it: the flag takes a comma for a list. */
export const policyFlag = ({ id, name }: Policy): string =>
  `--policy ${typed(name.includes(',') ? id : printableLine(name))}`;
