import { readRemediationAction } from '../../../contract/remediation-action.ts';
import { isBoundTo, placeOfUrl, showPlace } from '../../config/binding.ts';
import type { CommandConfig } from '../../config/config.ts';
import { commandFingerprint } from '../fingerprint.ts';
import type { Settings } from '../settings.ts';

/** What carries out actions outside of this server. */
export type Executor =
  | { readonly kind: 'exec'; readonly command: CommandConfig; readonly fingerprint: string }
  | {
      readonly kind: 'webhook';
      readonly url: string;
      /** As it is shown: paths of receivers may be keys. */
      readonly host: string;
      readonly secret: string;
    };

/** The executor that `exec:NAME` or `webhook:URL` means in this server's configuration, or why there is none. */
export function findExecutor(
  { commands, webhooks }: Pick<Settings, 'commands' | 'webhooks'>,
  text: string,
): Executor | { readonly why: string } {
  const read = readRemediationAction(text);
  if (read.kind === 'exec') {
    const command = Object.hasOwn(commands, read.name) ? commands[read.name] : undefined;
    return command
      ? { kind: 'exec', command, fingerprint: commandFingerprint(command) }
      : { why: `the server's configuration has no remediation.commands.${read.name}` };
  }
  const place = read.kind === 'webhook' ? placeOfUrl(read.url) : undefined;
  if (read.kind !== 'webhook' || !place) return { why: `${text} is not an executor` };
  const host = showPlace(place);
  const bound = Object.entries(webhooks).find(([entry]) => isBoundTo({ hosts: [entry] }, place));
  return bound
    ? { kind: 'webhook', url: read.url, host, secret: bound[1].secret }
    : { why: `the server's configuration has no secret for ${host} in remediation.webhooks` };
}
