import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface AxeResult {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What is asked for: WCAG 2.2, A and AA, and what is best practice besides. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Elements of each rule that are named. */
const mostNamed = 5;

export interface AxeOptions {
  /** Rules that do not apply. */
  readonly without?: readonly string[];
}

/**
 * What axe finds wrong with a page, and what it leaves to people: rules, each with an element that it concerns. Its script is
 * not one of the page: it runs beside the content security policy.
 */
export async function checkWithAxe(page: Page, { without = [] }: AxeOptions = {}) {
  const rules = Object.fromEntries(without.map((id) => [id, { enabled: false }]));
  const options = JSON.stringify({ runOnly: tags, rules, resultTypes: ['violations', 'incomplete'] }); // prettier-ignore
  const { violations, incomplete } = await page.evaluate<
    Record<'violations' | 'incomplete', readonly AxeResult[]>
  >(`${axe.source}; axe.run(document, ${options})`);
  return { faults: named(violations), undecided: named(incomplete) };
}

const named = (results: readonly AxeResult[]): string[] =>
  results.flatMap(({ id, nodes }) =>
    nodes.slice(0, mostNamed).map(({ html }) => `${id}: ${html.slice(0, 300)}`),
  );
