import { html } from 'hono/html';
import { layout } from './layout.ts';

/** What people see of an authorization request that cannot be answered by sending them back. */
export const errorPage = async ({
  error,
  description,
}: {
  readonly error: string;
  readonly description?: string;
}): Promise<string> =>
  (
    await layout(
      'This login cannot go on',
      html`<p>${description ?? 'The request is not valid'} <span class="quiet">(${error})</span></p>
        <p>Go back to the program that you wanted to log in to, and start again there.</p>`,
    )
  ).toString();
