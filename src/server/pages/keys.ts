import { html } from 'hono/html';
import type { ApiKey } from '../../contract/api-keys.ts';
import { permits } from '../../contract/endpoint.ts';
import { inThrees } from '../../contract/in-threes.ts';
import type { Session } from '../sign-in/service.ts';
import { accountPath, field, problem, rowButton, scopeNames, table } from './layout.ts';
import type { Html } from './layout.ts';
import type { Visit } from './visit.ts';

/** Calls the API as the person who is signed in. */
export type CallApi = (
  session: Session,
  method: string,
  path: string,
  body?: unknown,
) => Promise<Response>;

export interface KeyParts {
  readonly callApi: CallApi;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Days after which a new key expires; the second one unless another is chosen. */
const lifetimes = { '30': 'in 30 days', '90': 'in 90 days', '365': 'in 1 year', never: 'never' };
const usual = '90';

/** What is wrong with a key that was asked for, and what was entered. */
export interface KeyProblem {
  readonly message: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly days: string;
}

/** @returns the page with the key, or what is wrong */
export async function createKey(
  visit: Visit,
  session: Session,
  { callApi, now }: KeyParts,
): Promise<Response | KeyProblem> {
  const fields = await visit.form();
  const asked = fields.get('days') ?? '';
  const days = Object.hasOwn(lifetimes, asked) ? asked : usual;
  const body = {
    name: fields.get('name') ?? '',
    scopes: fields.getAll('scope'),
    ...(days === 'never'
      ? {}
      : { expires_at: new Date(now() + Number(days) * 86_400_000).toISOString() }),
  };
  const { name, scopes } = body;
  const shown =
    scopes.length === 0
      ? 'Choose at least one scope for the key.'
      : await showSecret(visit, await callApi(session, 'POST', '/v1/api-keys', body));
  return typeof shown === 'string' ? { message: shown, name, scopes, days } : shown;
}

/** The secret from before works on for a day. @returns the page with the new one, or what is wrong */
export async function rotateKey(
  visit: Visit,
  session: Session,
  { callApi }: KeyParts,
): Promise<Response | string> {
  const id = encodeURIComponent((await visit.form()).get('id') ?? '');
  return showSecret(visit, await callApi(session, 'POST', `/v1/api-keys/${id}/rotate`, {}));
}

/** @returns what is wrong, if anything */
export async function revokeKey(
  visit: Visit,
  session: Session,
  { callApi }: KeyParts,
): Promise<string | undefined> {
  const id = encodeURIComponent((await visit.form()).get('id') ?? '');
  const done = await callApi(session, 'DELETE', `/v1/api-keys/${id}`);
  return done.ok || done.status === 404 ? undefined : descriptionOf(done);
}

async function descriptionOf(failed: Response): Promise<string> {
  const { error_description: text } = (await failed.json()) as { error_description?: unknown };
  // People see no body.
  return String(text).replace(/^The body is not valid: (.)/, (_, first: string) => first.toUpperCase()); // prettier-ignore
}

interface NewKey {
  readonly name: string;
  readonly key: string;
  readonly signing_secret?: string;
}

async function showSecret(visit: Visit, answered: Response): Promise<Response | string> {
  if (!answered.ok) return descriptionOf(answered);
  const { name, key, signing_secret: signing } = (await answered.json()) as NewKey;
  return visit.page(
    'Copy your API key',
    html`<p>Save the key <strong>${name}</strong> now: it is not shown again.</p>
      <p class="secret">${key}</p>
      ${
        signing === undefined
          ? ''
          : html`<p>Sign requests with this signing secret. It is also not shown again.</p>
              <p class="secret">${signing}</p>`
      }
      <p class="buttons">
        <a class="button" href="${accountPath}">Continue: I have saved it</a>
      </p>`,
  );
}

/** Those that are bound to a person. */
interface OwnKeys {
  /** The newest first. */
  readonly keys: readonly ApiKey[];
  readonly total: number;
}

export async function ownKeys(session: Session, callApi: CallApi): Promise<OwnKeys> {
  const path = `/v1/api-keys?limit=100&bound_to=${session.person.id}`;
  const listed = await callApi(session, 'GET', path);
  if (!listed.ok) return { keys: [], total: 0 };
  const { api_keys: keys, pagination } = (await listed.json()) as {
    api_keys: readonly ApiKey[];
    pagination: { total: number };
  };
  return { keys, total: pagination.total };
}

const day = (at: string | undefined): string => (at === undefined ? '—' : at.slice(0, 10));

export const keyTable = (visit: Visit, session: Session, { keys, total }: OwnKeys): Html =>
  keys.length === 0
    ? html`<p>You have no API keys.</p>`
    : html`${table(
        ['Name', 'Scopes', 'Last characters', 'Expires', 'Last used', 'Actions'],
        keys.map((key) => keyRow(visit, session, key)),
      )}
      ${
        total > keys.length
          ? html`<p class="rest">
              Showing the latest ${keys.length} of ${inThrees(total)}.
              <code>govctl api-key list</code> lists them all.
            </p>`
          : ''
      }`;

/** Whoever lost a scope of a key can only revoke it. */
const keyRow = (visit: Visit, { person }: Session, key: ApiKey): readonly Html[] => {
  const { id, name, scopes, key_hint: hint, expires_at: expires, last_used_at: used } = key;
  const button = (action: string, label: string, look?: 'quiet'): Html =>
    rowButton(visit.csrf(), { action, id, label, about: name, ...(look && { look }) });
  const isRotatable = scopes.every((scope) => permits(person.scopes, scope));
  return [
    html`${name}`,
    scopeNames(scopes),
    html`<code>${hint}</code>`,
    html`<span class="time">${day(expires)}</span>`,
    html`<span class="time">${day(used)}</span>`,
    html`${isRotatable ? button('rotate-key', 'Rotate', 'quiet') : ''}
    ${button('revoke-key', 'Revoke')}`,
  ];
};

export const keyForm = (
  visit: Visit,
  { person }: Session,
  wrong: KeyProblem = { message: '', name: '', scopes: [], days: usual },
): Html => html`
  <details ${wrong.message === '' ? '' : html`open`}>
    <summary>Create an API key</summary>
    <form method="post" action="${accountPath}/create-key">
      ${visit.csrf()} ${problem(wrong.message || undefined)}
      ${field({ name: 'name', label: 'Name', value: wrong.name, autocomplete: 'off', hint: 'What the key is for, such as laptop or nightly-report.' })}
      <fieldset class="field">
        <legend>Scopes</legend>
        ${person.scopes.map(
          (scope) =>
            html`<label class="choice"
              ><input
                type="checkbox"
                name="scope"
                value="${scope}"
                ${wrong.scopes.includes(scope) ? html`checked` : ''}
              />
              ${scope}</label
            >`,
        )}
      </fieldset>
      <div class="field">
        <label for="days">Expires</label>
        <select id="days" name="days">
          ${Object.entries(lifetimes).map(
            ([days, text]) =>
              html`<option value="${days}" ${days === wrong.days ? html`selected` : ''}>
                ${text}
              </option>`,
          )}
        </select>
      </div>
      <div class="buttons"><button>Create</button></div>
    </form>
  </details>
`;
