import type { Repository } from '../repository.ts';
import type { CiSystem } from './workflow-facts.ts';

/** Commands by which an admin lets jobs log in: to apply, and to plan. OWNER/NAME stands for a repository that is not known. */
export function trustCommands(
  ci: CiSystem,
  repository: Repository | undefined,
  branch: string,
): readonly string[] {
  const name = repository?.provider === ci ? repository.name : 'OWNER/NAME';
  const create = `govctl trust create ${name}`;
  const apply = `--ref refs/heads/${branch} --scope governance:read,compliance:write`;
  return ci === 'gitlab'
    ? [
        `${create} --provider gitlab ${apply}`,
        `${create} --provider gitlab --ref 'refs/heads/*' --event merge_request_event --allow-pull-request-target --scope governance:read`,
      ]
    : [
        `${create} ${apply}`,
        `${create} --ref 'refs/pull/*' --event pull_request --scope governance:read`,
      ];
}
