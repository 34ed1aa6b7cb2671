import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Kind, LiveItem, Secrets } from '../kinds/kind.ts';
import { kinds, kindOf } from '../kinds/kinds.ts';
import type { Change } from '../plan/change.ts';
import { checkAnswer } from './check-answer.ts';
import type { Outcome } from './results.ts';
import { isCreated } from './send-step.ts';

/** Servers that answer a change without a body are asked once for each kind, for all of them, what they made of it. */
export async function lookAtUnseen(
  client: Client,
  project: string,
  secrets: Secrets,
  outcomes: ReadonlyMap<Change, Outcome>,
): Promise<void> {
  for (const kind of kinds) {
    const unseen = [...outcomes].filter(
      ([change, { seen, failure }]) =>
        kindOf(change) === kind && !seen && !failure && change.action !== 'delete',
    );
    if (unseen.length > 0) await lookAt(client, kind, unseen, { project, secrets });
  }
}

async function lookAt(
  client: Client,
  kind: Kind,
  unseen: readonly (readonly [Change, Outcome])[],
  { project, secrets }: { readonly project: string; readonly secrets: Secrets },
): Promise<void> {
  const all: LiveItem[] = [];
  try {
    for await (const item of listAll(client, kind.objects)) all.push(item);
  } catch (error) {
    // The changes were accepted; only the look at them failed.
    const why = `the object could not be read after the change: ${error instanceof Error ? error.message : String(error)}`;
    for (const [, made] of unseen) made.warnings = [why];
    return;
  }
  const byId = new Map(all.map((item) => [item.id, item]));
  for (const [change, made] of unseen) {
    const item =
      change.id === null
        ? all.find((each) => isCreated(kind, project, change, each))
        : byId.get(change.id);
    made.id = item?.id ?? made.id;
    Object.assign(
      made,
      item ? checkAnswer(project, secrets, change, item) : { failure: notKept(change) },
    );
  }
}

const notKept = (change: Change): GovctlError =>
  new GovctlError(
    'bad_answer',
    `The server accepted "${change.name}" but does not list it with govctl's tags`,
    {
      hint: 'govctl identifies its policies by tags and cannot manage a server that drops tags.',
    },
  );
