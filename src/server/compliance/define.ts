import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { FrameworkId } from '../../contract/frameworks.ts';
import type { FrameworkInput } from '../../contract/frameworks.ts';
import { findControlFaults } from '../../engine/frameworks/definition.ts';
import { frameworkKey } from '../../engine/labels.ts';
import { recordAudit } from '../audit/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp, updatedAfter } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { Call, Changer } from '../http/call.ts';
import { checkSameId, invalidBody, invalidField } from '../http/invalid-body.ts';
import { countRows } from '../store/all-rows.ts';
import type { Reader, Tx, Versioned } from '../store/store.ts';
import { frameworkDefinitions } from './collection.ts';
import type { StoredFramework } from './collection.ts';
import { findFramework, placeOf } from './known.ts';

/** Maximum number of definitions: every answer about frameworks reads all of them. */
const mostFrameworks = 200;

type Action = 'created' | 'updated' | 'deleted' | 'texts_imported' | 'texts_removed';

const announce = async (
  deps: Deps,
  tx: Tx,
  { id, controls }: Pick<StoredFramework, 'id' | 'controls'>,
  action: Action,
): Promise<void> => {
  await emit(deps, tx, 'compliance.framework.updated', {
    framework: { framework: frameworkKey(id), action, controls: controls.length },
  });
};

/** @throws GovctlError framework_not_found if it has no definition */
export async function readDefinition(
  reader: Reader,
  given: string,
): Promise<Versioned<StoredFramework>> {
  const found = await reader.get(frameworkDefinitions, placeOf(given).id);
  if (found) return found;
  const { name } = await findFramework(reader, given);
  throw new GovctlError('framework_not_found', `${name} is built in and has no imported texts`);
}

/** A definition without the fields that the server assigns. */
function definitionOf(given: string, input: FrameworkInput) {
  const { id, catalogue } = placeOf(given);
  const parsed = FrameworkId.safeParse(id);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalidField('invalid_framework', 'id', issue?.message ?? 'is not valid');
  }
  const its = input.id === undefined ? undefined : placeOf(input.id).id;
  checkSameId('invalid_framework', 'framework', id, its);
  const { name, version, tags, controls } = input;
  const faults = findControlFaults(id, controls, catalogue);
  if (faults.length > 0) throw invalidBody('invalid_framework', faults);
  return {
    id,
    name,
    ...(version ? { version } : {}),
    ...(tags && tags.length > 0 ? { tags } : {}),
    built_in: catalogue !== undefined,
    controls: controls.map(({ id: control, title, description, parent }) => ({
      id: control,
      title,
      ...defined({ description: description === '' ? undefined : description, parent }),
    })),
  };
}

/**
 * Defines a framework, or replaces its definition.
 * @throws GovctlError invalid_framework, precondition_failed
 */
export async function putFramework(
  deps: Deps,
  tx: Tx,
  call: Pick<Call, 'actor' | 'checkMatch' | 'header'>,
  given: string,
  input: FrameworkInput,
): Promise<{ readonly stored: Versioned<StoredFramework>; readonly isNew: boolean }> {
  const wanted = definitionOf(given, input);
  const { id, built_in: isBuiltIn } = wanted;
  const before = await tx.get(frameworkDefinitions, id);
  checkConditions(call, before, id);
  const now = deps.clock.now();
  if (before) {
    const { created_at, updated_at, created_by } = before.doc;
    if (isDeepStrictEqual(before.doc, { ...wanted, created_at, updated_at, created_by })) {
      return { stored: before, isNew: false };
    }
  }
  if (!before && (await countRows(tx, frameworkDefinitions)) >= mostFrameworks) {
    const message = `The service has ${mostFrameworks} custom frameworks, which is the maximum`;
    throw new GovctlError('invalid_framework', message, {
      hint: 'Run `govctl framework list`, and delete frameworks that are no longer needed.',
    });
  }
  const at = timestamp(now);
  const stored = before
    ? await tx.replace(frameworkDefinitions, {
        ...wanted,
        created_at: before.doc.created_at,
        created_by: before.doc.created_by,
        updated_at: updatedAfter(before.doc.updated_at, now),
      })
    : await tx.insert(frameworkDefinitions, {
        ...wanted,
        created_at: at,
        updated_at: at,
        created_by: call.actor.userId,
      });
  await recordAudit(deps, tx, call.actor, before ? 'framework.update' : 'framework.create', id);
  const action = isBuiltIn ? 'texts_imported' : before ? 'updated' : 'created';
  await announce(deps, tx, wanted, action);
  return { stored, isNew: !before };
}

/** @throws GovctlError precondition_failed */
function checkConditions(
  call: Pick<Call, 'checkMatch' | 'header'>,
  before: Versioned<StoredFramework> | undefined,
  id: string,
): void {
  if (before) call.checkMatch(before.revision);
  const isOnlyNew = call.header('if-none-match')?.trim() === '*';
  if (before && isOnlyNew) {
    throw new GovctlError('precondition_failed', `Framework ${id} already exists`);
  }
  if (!before && call.header('if-match') !== null) {
    throw new GovctlError(
      'precondition_failed',
      `Framework ${id.slice(0, 100)} does not exist, so If-Match cannot match`,
    );
  }
}

/** @throws GovctlError framework_not_found, framework_built_in, precondition_failed */
export async function deleteFramework(
  deps: Deps,
  tx: Tx,
  call: Changer,
  given: string,
): Promise<void> {
  const { id } = placeOf(given);
  const before = await tx.get(frameworkDefinitions, id);
  if (!before) {
    const { name } = await findFramework(tx, given);
    throw new GovctlError(
      'framework_built_in',
      `${name} is built in and has no imported texts to delete`,
      { hint: 'To ignore this framework, remove its labels from the policies.' },
    );
  }
  call.checkMatch(before.revision);
  await tx.remove(frameworkDefinitions, id);
  await recordAudit(deps, tx, call.actor, 'framework.delete', id);
  await announce(deps, tx, before.doc, before.doc.built_in ? 'texts_removed' : 'deleted');
}
