import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { connectAs } from '../objects/connect.ts';
import type { Context } from '../context.ts';
import { configDir } from '../credentials/config-dir.ts';
import type { Login } from '../credentials/find-login.ts';
import { findTarget } from '../credentials/find-login.ts';
import { readProfiles } from '../credentials/profiles.ts';
import { projectBaseUrl } from '../objects/project-base-url.ts';
import type { Style } from '../terminal/terminal.ts';
import { describeSource } from './describe-login.ts';
import { describePerson, describeVerdict, verifyLogin } from './verify-login.ts';
import type { Me } from '../../contract/me.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import { printableLine } from '../terminal/printable.ts';
import { wrapWords } from '../terminal/wrap-words.ts';

export interface StatusOptions {
  readonly all?: boolean;
}

/** One login, as `-o json` shows it. */
interface LoginStatus {
  readonly base_url: string;
  /** GOVCTL_TOKEN, GOVCTL_CLIENT_ID, GOVCTL_OIDC or profile. */
  readonly source: string;
  readonly profile?: string;
  /** With --all: whether it is the profile that commands use without --profile. */
  readonly current?: boolean;
  readonly method: string;
  readonly client_id?: string;
  /** Requests are signed. */
  readonly signs?: boolean;
  readonly stored_in?: string;
  /** Its last four characters. */
  readonly token_hint?: string;
  readonly expires_at?: string;
  readonly scope?: string;
  /** Those it has now, where the service tells. */
  readonly scopes?: readonly string[];
  /** Whose it is, where the service tells. */
  readonly user?: Me['user'];
  /** When a person must log in again. */
  readonly login_expires_at?: string;
  /** Null: could not be found out. */
  readonly valid: boolean | null;
  readonly message: string;
}

/** Who is logged in where; exit 0 only when the service takes every login shown. */
export async function runStatus(context: Context, options: StatusOptions): Promise<ExitCode> {
  const targets = options.all ? await everyProfile(context) : [await currentTarget(context)];
  const asked = await context.progress('Checking the login', () =>
    Promise.all(targets.map((target) => lookAt(context, target))),
  );
  await context.show({
    value: { logins: asked.map(({ status }) => status) },
    rows: () => asked.map(({ status }) => status),
    human: (style, columns) =>
      asked
        .map(({ status, login }) => describeStatus(status, login, style, columns, context))
        .join('\n'),
  });
  const failed = asked.find(({ error }) => error !== undefined);
  return failed?.error?.exitCode ?? exitCodes.ok;
}

interface LoggedIn {
  readonly baseUrl: string;
  readonly login: Login;
  readonly current?: boolean;
}

async function currentTarget(context: Context): Promise<LoggedIn> {
  const target = await findTarget(context, await projectBaseUrl(context));
  if (!target.login) throw target.missing;
  return { baseUrl: target.baseUrl, login: target.login };
}

async function everyProfile({ world, warn }: Context): Promise<LoggedIn[]> {
  const { profiles, current } = await readProfiles(configDir(world.env), warn);
  const found = Object.entries(profiles).map(([name, profile]): LoggedIn => ({
    baseUrl: profile.base_url,
    login: { kind: 'profile', name, profile },
    current: name === current,
  }));
  if (found.length > 0) return found;
  throw new GovctlError('not_logged_in', 'No login profiles', {
    hint: 'Log in with `govctl auth login`.',
  });
}

async function lookAt(context: Context, { baseUrl, login, current }: LoggedIn) {
  const { client, tokens } = await connectAs(context, baseUrl, login);
  let valid: boolean | null = true;
  let message: string;
  let error: GovctlError | undefined;
  let me: Me | undefined;
  try {
    const verdict = await verifyLogin(client);
    message = describeVerdict(verdict);
    ({ me } = verdict);
  } catch (cause) {
    if (!(cause instanceof GovctlError)) throw cause;
    error = cause;
    valid = cause.exitCode === exitCodes.auth ? false : null;
    message = cause.message;
  }
  const token = await tokens.token().catch(() => undefined); // said above already
  const { expiresAt, scope } = tokens.last();
  const status: LoginStatus = {
    base_url: baseUrl,
    ...describeParts(login),
    ...defined({ current }),
    ...(token && token.length >= 20 ? { token_hint: token.slice(-4) } : {}),
    ...defined({
      expires_at:
        expiresAt === undefined ? me?.credential.expires_at : new Date(expiresAt).toISOString(),
    }),
    ...defined({
      scope,
      scopes: me?.scopes,
      user: me?.user,
      login_expires_at: me?.credential.login_expires_at,
    }),
    valid,
    message,
  };
  return { status, login, error };
}

function describeParts(login: Login) {
  switch (login.kind) {
    case 'token':
      return {
        source: 'GOVCTL_TOKEN',
        method: 'token',
        ...(login.signingSecret === undefined ? {} : { signs: true }),
      };
    case 'client':
      return {
        source: 'GOVCTL_CLIENT_ID',
        method: 'client_credentials',
        client_id: login.clientId,
      };
    case 'oidc':
      return { source: 'GOVCTL_OIDC', method: 'oidc' };
    case 'profile':
      return {
        source: 'profile',
        profile: login.name,
        method: login.profile.method,
        ...(login.profile.client_id ? { client_id: login.profile.client_id } : {}),
        ...defined({ signs: login.profile.signs }),
        stored_in: login.profile.stored_in,
      };
  }
}

function describeStatus(
  status: LoginStatus,
  login: Login,
  style: Style,
  columns: number,
  { world }: Context,
): string {
  const verdict =
    status.valid === true
      ? style.green(`valid: ${status.message}`)
      : style.red(status.valid === false ? `refused: ${status.message}` : status.message);
  const lines: [string, string][] = [
    ['login', `${describeSource(login)}${status.current ? ' (current)' : ''}`],
    ['token', verdict],
  ];
  if (status.user) {
    lines.push(['user', describePerson(status.user)]);
    lines.push(['roles', status.user.roles.map(printableLine).join(', ') || 'none']);
  }
  if (status.token_hint) lines.push(['secret', `…${status.token_hint}`]);
  const scopes = status.scopes?.join(' ') ?? status.scope;
  if (scopes !== undefined && scopes !== '') lines.push(['scopes', scopes]);
  const at = (time: string): string => `${utcMinute(time)} (${fromNow(time, world.now())})`;
  if (status.expires_at !== undefined) {
    const isRenewed =
      status.method === 'person' && status.valid !== false ? ', renewed automatically' : '';
    lines.push(['expires', at(status.expires_at) + isRenewed]);
  }
  if (status.login_expires_at !== undefined)
    lines.push(['session', `ends ${at(status.login_expires_at)}`]);
  const body = lines
    .map(([name, text]) => `${wrapWords(`  ${name.padEnd(8)} ${text}`, columns, 9)}\n`)
    .join('');
  return `${style.bold(status.base_url)}\n${body}`;
}

function fromNow(timestamp: string, now: number): string {
  const minutes = Math.round((Date.parse(timestamp) - now) / 60_000);
  if (minutes < 0) return 'past';
  const hours = Math.round(minutes / 60);
  if (hours >= 72) return `in ${Math.round(hours / 24)} days`;
  return minutes < 120 ? `in ${minutes} min` : `in ${hours} h`;
}
