import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { listOf, parseWords } from '../flags/parse-words.ts';
import { withOurServer } from '../objects/our-server.ts';
import { shownBy } from '../objects/shown-by.ts';
import { ciScopes } from './rule-options.ts';
import type { CreateOptions } from './rule-options.ts';
import { trustView } from './trust-view.ts';

export async function runCreate(
  context: Context,
  { args: [repository], provider, issuer, scope, event, ...options }: CreateOptions,
): Promise<ExitCode> {
  const [ref, environment, repositoryId] = [
    options.ref || undefined,
    options.environment || undefined,
    options.repositoryId || undefined,
  ];
  const body = {
    name: options.name ?? [repository, ref ?? environment].filter(Boolean).join(' ').slice(0, 256),
    provider,
    repository,
    ...defined({
      issuer,
      repository_id: repositoryId,
      ref,
      environment,
      events: event && listOf(event),
      allow_pull_request_target: options.allowPullRequestTarget,
    }),
    scopes: parseWords('--scope', scope, ciScopes),
  };
  const { data } = await withOurServer(context, 'trust rules', 'Creating trust rule', (client) =>
    client.trusts.create({ body }),
  );
  const shown = await shownBy(context, data, {
    headline: (style) => `${style.green('Created')} ${data.id}`,
  });
  await context.show(trustView(data, shown));
  if (data.repository_id === undefined) {
    const id = data.provider === 'github' ? 'GITHUB_REPOSITORY_ID' : 'CI_PROJECT_ID';
    await context.say(
      `Anyone who takes over the name ${data.repository} could also log in. To pin the repository, pass --repository-id (the value of ${id} in its jobs).`,
    );
  }
  return exitCodes.ok;
}
