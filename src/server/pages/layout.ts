import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { Scope } from '../../contract/endpoint.ts';

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
export const problem = (message: string | undefined, id = 'problem'): Html =>
  message === undefined
    ? html``
    : html`<p class="problem" id="${id}" role="alert">${asSentence(message)}</p>`;

/** Messages of the API end without a period. */
const asSentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`);

/** When to try again, as in `Try again in 10 minutes.` */
export function tryAgainIn(seconds: number): string {
  const [amount, unit] =
    seconds <= 90 ? [Math.ceil(seconds), 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `Try again in ${amount} ${unit}${amount === 1 ? '' : 's'}.`;
}

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
  /** What is wrong with what was entered. */
  readonly problem?: string | undefined;
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
  problem: wrong,
}: Field): Html => {
  const about = [...(hint === undefined ? [] : ['hint']), ...(wrong === undefined ? [] : ['problem'])]; // prettier-ignore
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${hint === undefined ? '' : html`<p class="hint" id="${name}-hint">${hint}</p>`}
    ${problem(wrong, `${name}-problem`)}
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      autocapitalize="none"
      spellcheck="false"
      required
      ${about.length === 0 ? '' : html`aria-describedby="${about.map((part) => `${name}-${part}`).join(' ')}"`}
      ${wrong === undefined ? '' : html`aria-invalid="true"`}
      ${inputmode === undefined ? '' : html`inputmode="${inputmode}"`}
      ${autofocus ? html`autofocus` : ''}
    />
  </div>`;
};

/** The token that shows that a form is of this service. */
export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

/** Whose password a form is about, for password managers. */
export const username = (email: string): Html =>
  html`<input type="text" name="username" autocomplete="username" value="${email}" hidden />`;

/** Scopes may break at their colon, where there is little room. */
export const scopeNames = (scopes: readonly Scope[]): Html =>
  raw(scopes.join(', ').replaceAll(':', ':<wbr>'));

/** On a narrow screen each row is a block, whose cells repeat what their columns are. */
export const table = (columns: readonly string[], rows: readonly (readonly Html[])[]): Html =>
  html`<table>
    <thead>
      <tr>
        ${columns.map((column) => html`<th scope="col">${column}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${row.map((cell, at) => html`<td data-column="${columns[at] ?? ''}">${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;

/** A button in a table of the account page, which is a form by itself. @param about what it acts on, for whoever listens */
export const rowButton = (
  csrf: Html,
  {
    action,
    id,
    label,
    about,
    look = 'danger',
  }: Readonly<Record<'action' | 'id' | 'label' | 'about', string>> & {
    readonly look?: 'quiet' | 'danger';
  },
): Html =>
  html`<form method="post" action="${accountPath}/${action}">
    ${csrf}
    <button class="small ${look}" name="id" value="${id}" aria-label="${label} ${about}">
      ${label}
    </button>
  </form>`;
