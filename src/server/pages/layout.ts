import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** A part of a page: texts in it are escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

const stylePath = '/auth/style.css';
export const accountPath = '/auth/account';

/** What every page has around its content. @param title plain text */
export const layout = (title: string, content: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · govctl</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${stylePath}" />
      </head>
      <body>
        <main>
          <p class="brand">govctl</p>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`;

/** What went wrong, for whoever reads and whoever listens. */
export const problem = (message: string | undefined): Html =>
  message === undefined ? html`` : html`<p class="problem" role="alert">${message}</p>`;

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password';
  readonly value?: string;
  /** How browsers and password managers fill it in. */
  readonly autocomplete: string;
  readonly hint?: string;
  readonly inputmode?: 'numeric' | 'text';
  readonly autofocus?: boolean;
}

export const field = ({
  name,
  label,
  type = 'text',
  value = '',
  autocomplete,
  hint,
  inputmode,
  autofocus = false,
}: Field): Html => html`
  <div class="field">
    <label for="${name}">${label}</label>
    ${hint === undefined ? '' : html`<p class="hint" id="${name}-hint">${hint}</p>`}
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      autocapitalize="none"
      spellcheck="false"
      required
      ${hint === undefined ? '' : html`aria-describedby="${name}-hint"`}
      ${inputmode === undefined ? '' : html`inputmode="${inputmode}"`}
      ${autofocus ? html`autofocus` : ''}
    />
  </div>
`;

/** The token that shows that a form is of this service. */
export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

/** Whose password a form is about, for password managers. */
export const username = (email: string): Html =>
  html`<input type="text" name="username" autocomplete="username" value="${email}" hidden />`;

/** A button in a table of the account page, which is a form by itself. @param about what it acts on, for whoever listens */
export const rowButton = (
  csrf: Html,
  { action, id, label, about }: Readonly<Record<'action' | 'id' | 'label' | 'about', string>>,
): Html =>
  html`<form method="post" action="${accountPath}/${action}">
    ${csrf}
    <button class="danger" name="id" value="${id}" aria-label="${label} ${about}">${label}</button>
  </form>`;
