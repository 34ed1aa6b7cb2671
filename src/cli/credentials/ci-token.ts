import * as z from 'zod';
import { readText } from '../../client/answer.ts';
import { createTransport } from '../../client/transport.ts';
import type { TransportOptions } from '../../client/transport.ts';
import { tokenExchange } from '../../contract/auth.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { World } from '../context.ts';
import { isLoopback } from './base-url.ts';
import { requestToken } from './exchange-token.ts';
import type { AccessToken } from './exchange-token.ts';
import { checkToken } from './find-login.ts';

const idTokenVariable = 'GOVCTL_ID_TOKEN';
/** GitHub Actions sets both where the job may ask for ID tokens. */
const githubUrl = 'ACTIONS_ID_TOKEN_REQUEST_URL';
const githubToken = 'ACTIONS_ID_TOKEN_REQUEST_TOKEN';

/** What GitHub answers. */
const IdToken = z.looseObject({ value: z.string() });

/**
 * The CI job that this command runs in: its access token is not for the next job on the same machine. Undefined: none that is
 * known.
 */
export function jobOf(env: NodeJS.ProcessEnv): string | undefined {
  const { GITHUB_RUN_ID: run, GITHUB_RUN_ATTEMPT: attempt, GITHUB_JOB: job, CI_JOB_ID: id } = env;
  if (run) return `github ${run} ${attempt ?? ''} ${job ?? ''} ${env.GITHUB_REPOSITORY ?? ''}`;
  return id ? `gitlab ${env.CI_SERVER_URL ?? ''} ${id}` : undefined;
}

/**
 * The ID token of this CI job, for one audience: that of GOVCTL_ID_TOKEN (GitLab's `id_tokens`), or one that GitHub Actions
 * signs on request.
 * @param audience the base URL of the service
 * @throws GovctlError not_logged_in where the job has none, which says how it gets one
 */
async function ciIdToken(
  env: NodeJS.ProcessEnv,
  { audience, ...options }: Omit<TransportOptions, 'baseUrl'> & { readonly audience: string },
): Promise<string> {
  const given = env[idTokenVariable];
  if (given) return checkToken(given, idTokenVariable);
  const [url, token] = [env[githubUrl], env[githubToken]];
  if (url && token) return fromGithub({ url, token, audience }, options);
  throw noToken(env, audience);
}

function noToken(env: NodeJS.ProcessEnv, audience: string): GovctlError {
  if (env.GITHUB_ACTIONS) {
    return new GovctlError(
      'not_logged_in',
      'This job has no permission to get an ID token from GitHub',
      {
        hint: 'Add `permissions: { contents: read, id-token: write }` to the job, or to the workflow. Pull requests from forks get no ID token.',
      },
    );
  }
  if (env.GITLAB_CI) {
    return new GovctlError(
      'not_logged_in',
      `This job has no ID token: ${idTokenVariable} is not set`,
      {
        hint: `Add this to the job: \`id_tokens: { ${idTokenVariable}: { aud: ${audience} } }\`.`,
      },
    );
  }
  return new GovctlError('not_logged_in', 'No ID token found: this is not a CI job', {
    hint: `--oidc works in GitHub Actions and GitLab CI. Elsewhere, set ${idTokenVariable} to an ID token for ${audience}.`,
  });
}

interface GithubRequest {
  readonly url: string;
  readonly token: string;
  readonly audience: string;
}

/** @throws GovctlError not_logged_in where the job has no ID token, or the service does not let it in */
export async function exchangeIdToken(
  { env, now }: Pick<World, 'env' | 'now'>,
  options: TransportOptions,
  { scope }: { readonly scope?: string },
): Promise<AccessToken> {
  const { baseUrl: audience, ...connecting } = options;
  const token = await ciIdToken(env, { ...connecting, audience });
  return requestToken(createTransport(options), now, {
    fields: {
      grant_type: tokenExchange.grant,
      subject_token: token,
      subject_token_type: tokenExchange.idToken,
      ...(scope ? { scope } : {}),
    },
    who: 'This CI job',
    hint: `An admin of the service can allow this job, for example with \`${trustCommand(env)}\`.`,
  });
}

/** The command that lets a job like this one in. */
function trustCommand(env: NodeJS.ProcessEnv): string {
  const isGitlab = Boolean(env.GITLAB_CI);
  const { CI_COMMIT_TAG: tag, CI_COMMIT_REF_NAME: name } = env;
  const gitlabRef = tag ? `refs/tags/${tag}` : name && `refs/heads/${name}`;
  const id = plain(isGitlab ? env.CI_PROJECT_ID : env.GITHUB_REPOSITORY_ID);
  const ref = plain(isGitlab ? gitlabRef : env.GITHUB_REF);
  return [
    `govctl trust create ${plain(isGitlab ? env.CI_PROJECT_PATH : env.GITHUB_REPOSITORY) ?? 'REPOSITORY'}`,
    ...(isGitlab ? ['--provider gitlab'] : []),
    ...(id ? [`--repository-id ${id}`] : []),
    `--ref ${ref ?? 'REF'}`,
    '--scope SCOPES',
  ].join(' ');
}

/** Names of branches may have what a shell would run. */
const plain = (text: string | undefined): string | undefined =>
  text !== undefined && /^\w[\w./-]*$/.test(text) ? text : undefined;

async function fromGithub(
  { url, token, audience }: GithubRequest,
  options: Omit<TransportOptions, 'baseUrl'>,
): Promise<string> {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address?.protocol !== 'https:' && !(address?.protocol === 'http:' && isLoopback(url))) {
    throw new GovctlError('usage_error', `${githubUrl} is not an https:// URL`);
  }
  address.searchParams.set('audience', audience);
  // The token of the request is for GitHub; that of the service is not sent there.
  const transport = createTransport({
    ...options,
    baseUrl: address.origin,
    token: async () => token,
  });
  const path = address.pathname + address.search;
  const answer = await transport.exchange('GET', path);
  const text = await readText(answer, 'the ID token from GitHub');
  const parsed = answer.ok ? IdToken.safeParse(parseJson(text)) : undefined;
  if (parsed?.success) return checkToken(parsed.data.value, 'the response from GitHub');
  throw new GovctlError(
    'not_logged_in',
    `GitHub issued no ID token: ${address.origin} returned HTTP ${answer.status}`,
    { hint: 'Check that the job has `permissions: { id-token: write }`, and try again.' },
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
