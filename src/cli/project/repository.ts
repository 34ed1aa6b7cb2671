import { git } from '../../project/git.ts';
import type { World } from '../context.ts';

/** Where a repo of policies is hosted, as trust rules name it. */
export interface Repository {
  readonly provider: 'github' | 'gitlab';
  /** `acme/policies`; on GitLab, groups may be nested. */
  readonly name: string;
}

/** The second name is for SSH through port 443. */
const hosts: Readonly<Record<string, Repository['provider']>> = {
  'github.com': 'github',
  'ssh.github.com': 'github',
  'gitlab.com': 'gitlab',
  'altssh.gitlab.com': 'gitlab',
};

/** What a shell takes as it is: the name becomes part of a command. */
const names = { github: /^\w[\w.-]*\/[\w.-]+$/, gitlab: /^\w[\w.-]*(?:\/[\w.-]+)+$/ } as const;

/** The repository at github.com or gitlab.com that is the remote `origin`; undefined: there is none. */
export async function readRepository(
  { env }: Pick<World, 'env'>,
  folder: string,
): Promise<Repository | undefined> {
  const url = await git(folder, env, ['remote', 'get-url', 'origin']);
  return url === undefined ? undefined : repositoryAt(url.trim());
}

/** What YAML and a shell read as it is. */
const plainBranch = /^[\w][\w./-]*$/;

/** The branch whose commits are applied: the default branch of `origin`, or the only branch of a repo without a remote. */
export async function defaultBranch({ env }: Pick<World, 'env'>, folder: string): Promise<string> {
  const ofRemote = await git(folder, env, ['symbolic-ref', '--short', 'refs/remotes/origin/HEAD']);
  const branches = await git(folder, env, ['branch', '--format=%(refname:short)']);
  const [own, ...others] = branches?.trim().split('\n') ?? [];
  const unborn = own === '' ? await git(folder, env, ['symbolic-ref', '--short', 'HEAD']) : undefined; // prettier-ignore
  const name =
    ofRemote?.trim().replace(/^origin\//, '') ??
    unborn?.trim() ??
    (others.length === 0 ? own : undefined);
  return name !== undefined && plainBranch.test(name) ? name : 'main';
}

/** @param url of any form that git takes: `https://github.com/acme/policies`, `git@github.com:acme/policies.git` */
export function repositoryAt(url: string): Repository | undefined {
  const [, host, path] =
    /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([^@/:]+)(?::\d+)?\/+(.+)$/.exec(url) ??
    /^(?:[^@/:]*@)?([^@/:]+):\/*(.+)$/.exec(url) ??
    [];
  if (host === undefined || path === undefined) return undefined;
  const provider = Object.hasOwn(hosts, host.toLowerCase()) ? hosts[host.toLowerCase()] : undefined;
  const name = path.replace(/\/+$/, '').replace(/\.git$/, '');
  return provider && names[provider].test(name) ? { provider, name } : undefined;
}
