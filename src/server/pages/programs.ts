import { html } from 'hono/html';
import type { Oauth, Program } from '../oauth/service.ts';
import type { Session } from '../sign-in/service.ts';
import { rowButton } from './layout.ts';
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

export const programTable = (visit: Visit, programs: readonly Program[]): Html =>
  programs.length === 0
    ? html`<p>You have allowed no program to act for you.</p>`
    : html`<div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Program</th>
              <th scope="col">Scopes</th>
              <th scope="col">Allowed</th>
              <th scope="col">Actions</th>
            </tr>
          </thead>
          <tbody>
            ${programs.map(
              ({ id, name, scopes, allowed_at: at }) =>
                html`<tr>
                  <td>${name}</td>
                  <td>${scopes.length === 0 ? 'who you are' : scopes.join(', ')}</td>
                  <td>${at.slice(0, 10)}</td>
                  <td>
                    ${rowButton(visit.csrf(), { action: 'end-program', id, label: 'End', about: `the access of ${name}` })}
                  </td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`;
