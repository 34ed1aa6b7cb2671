import { GovctlError } from '../../contract/errors.ts';
import type { Problem } from '../../project/model.ts';
import type { Outside } from '../../project/plan/read-repo.ts';
import type { Context } from '../context.ts';
import { fromWorkspace, renderGithub } from '../formats/github.ts';
import { renderMarkdown } from '../formats/markdown.ts';
import { renderProblems } from '../formats/problems-text.ts';
import { readingOf } from '../project/reading.ts';
import { connect } from '../objects/connect.ts';
import { repoUrlOf } from '../objects/project-base-url.ts';
import { count } from '../terminal/printable.ts';

/** Plans, or reads what planning takes, in this command's world; a spinner shows how far it is. */
export const withOutside = <T>(
  context: Context,
  work: (outside: Outside) => Promise<T>,
): Promise<T> =>
  context.progress('Reading files and the service', (update) => {
    const { env, now } = context.world;
    return work({
      reading: readingOf(context),
      env,
      now,
      connect: (config) => connect(context, repoUrlOf(config)),
      refuseProblems: (problems) => refuseProblems(context, problems),
      warn: (line) => context.warn(line),
      onListed: (policies) =>
        update(`Reading the service: ${count(policies, 'policy', 'policies')}`),
    });
  });

/** Shows what is wrong as `validate` does. @throws GovctlError invalid_file when any of it is an error */
async function refuseProblems(context: Context, problems: readonly Problem[]): Promise<void> {
  const errors = problems.filter(({ level }) => level === 'error');
  if (errors.length === 0) {
    if (problems.length > 0) {
      await context.say(
        `${count(problems.length, 'warning')} in the files. Run \`govctl validate\` to see ${problems.length === 1 ? 'it' : 'them'}.`,
      );
    }
    return;
  }
  const { cwd, env } = context.world;
  const files = new Set(errors.map(({ file }) => file)).size;
  const verdict = `${count(errors.length, 'error')} in ${count(files, 'file')}; nothing was planned`;
  await context.show({
    value: { problems },
    rows: () => problems,
    human: (style, columns) => `${renderProblems(problems, style, columns)}\n`,
    more: {
      github: () => renderGithub(fromWorkspace(problems, cwd, env)),
      markdown: () => renderMarkdown('govctl', verdict, problems),
    },
  });
  throw new GovctlError('invalid_file', verdict);
}
