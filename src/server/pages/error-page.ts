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
      'This login cannot continue',
      html`<p>
          The program that sent you here made a request that cannot be completed:
          ${description ?? 'the request is not valid'} <span class="quiet">(${error})</span>.
        </p>
        <p>
          Start the login again in that program. If it happens again, contact the developer of the
          program.
        </p>`,
    )
  ).toString();
