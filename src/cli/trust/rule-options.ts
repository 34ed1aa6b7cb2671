import { scopes as allScopes } from '../../contract/endpoint.ts';
import type { CiProvider } from '../../contract/trusts.ts';

/** CI jobs do not administer the service. */
export const ciScopes = allScopes.filter((scope) => scope !== 'admin');

/** What a rule says, by flags. False: remove it. */
export interface RuleOptions {
  readonly name?: string;
  readonly repositoryId?: string | false;
  readonly ref?: string | false;
  readonly environment?: string | false;
  readonly event?: readonly string[];
  readonly allowPullRequestTarget?: boolean;
  readonly scope?: readonly string[];
}

export interface CreateOptions extends RuleOptions {
  readonly args: readonly [string];
  readonly provider: CiProvider;
  readonly issuer?: string;
  readonly scope: readonly string[];
}
