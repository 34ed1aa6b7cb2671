import { html } from 'hono/html';
import { inThrees } from '../../contract/in-threes.ts';
import type { Oauth, Program } from '../oauth/service.ts';
import type { Session } from '../sign-in/service.ts';
import { accountPath, rowButton, scopeNames, table } from './layout.ts';
import type { Html } from './layout.ts';
import type { Visit } from './visit.ts';

/** What a person let act for them. */
export type Programs = Pick<Oauth, 'programsOf' | 'endProgram'>;

export async function revokeProgram(
  visit: Visit,
  session: Session,
  programs: Programs,
): Promise<void> {
  const id = (await visit.form()).get('id') ?? '';
  const own = await programs.programsOf(session.person.id);
  if (own.some((one) => one.id === id)) await programs.endProgram(visit.actor(session), id);
}

/** Rows that are shown until all are asked for. */
const mostRows = 20;

export function programTable(visit: Visit, programs: readonly Program[]): Html {
  if (programs.length === 0) return html`<p>No programs can act for you.</p>`;
  const isWhole = programs.length <= mostRows || visit.url.searchParams.get('programs') === 'all';
  const shown = isWhole ? programs : programs.slice(0, mostRows);
  return html`${table(
    ['Program', 'Scopes', 'Allowed', 'Actions'],
    shown.map(({ id, name, scopes, allowed_at: at }) => [
      html`${name}`,
      scopes.length === 0 ? html`who you are` : scopeNames(scopes),
      html`<span class="time">${at.slice(0, 10)}</span>`,
      rowButton(visit.csrf(), {
        action: 'end-program',
        id,
        label: 'End',
        about: `the access of ${name}`,
      }),
    ]),
  )}
  ${
    isWhole
      ? ''
      : html`<p class="rest">
          Showing the latest ${mostRows} of ${inThrees(programs.length)}.
          <a href="${accountPath}?programs=all">Show all</a>
        </p>`
  }`;
}
