import { controlKey } from '../labels.ts';
import type { Catalogue } from './catalogue.ts';
import { catalogueOf } from './frameworks.ts';

const known = new WeakMap<Catalogue, ReadonlyMap<string, string>>();

/** By `controlKey`: what each control of a built-in framework is about, in our words. */
export function titlesOf(catalogue: Catalogue): ReadonlyMap<string, string> {
  let titles = known.get(catalogue);
  if (!titles) known.set(catalogue, (titles = readTitles(catalogue)));
  return titles;
}

const readTitles = ({ name, titles }: Catalogue): ReadonlyMap<string, string> =>
  new Map(
    titles
      .trim()
      .split('\n')
      .map((line) => {
        const space = line.indexOf(' ');
        return [controlKey(name, line.slice(0, space)), line.slice(space + 1)] as const;
      }),
  );

/** What a control is about; undefined: not known. */
export type TitleOf = (framework: string, control: string) => string | undefined;

/** Undefined: it is no control of a built-in framework. */
export function titleOf(framework: string, control: string): string | undefined {
  const catalogue = catalogueOf(framework);
  return catalogue && titlesOf(catalogue).get(controlKey(catalogue.name, control));
}
