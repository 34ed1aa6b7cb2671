import { whenKnown } from '../awaitable.ts';
import type { PolicyInput, Rule } from '../../contract/policies.ts';
import type { Call, Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { askerOf } from '../evaluation/thread/threads.ts';
import { validate } from '../evaluation/validate.ts';
import { invalidField } from '../http/invalid-body.ts';
import { storedJson } from '../json.ts';
import { listPage } from '../http/paging.ts';
import type { Versioned } from '../store/store.ts';
import { policies, policyFilters } from './collection.ts';
import type { StoredPolicy } from './collection.ts';
import {
  checkConditions,
  createPolicy,
  deletePolicy,
  readPolicy,
  updatePolicy,
} from './service.ts';

const answerOne = ({ doc, revision }: Versioned<StoredPolicy>) => ({
  body: storedJson(doc),
  revision,
});

export const policyHandlers = (deps: Deps, evaluation: Evaluation): Handlers['policies'] => ({
  list: ({ query }) =>
    listPage(deps.store, policies, {
      query,
      filters: policyFilters(query),
      plural: 'policies',
      show: ({ doc }) => storedJson(doc),
    }),

  validate: async ({ body }, call) => ({
    body: await validate(deps, evaluation, askerOf(call), body),
  }),

  get: ({ params }) => whenKnown(readPolicy(deps.store, params.id), answerOne),

  create: async ({ body }, call) => {
    await checkRules(evaluation, call, body.rules);
    await checkAction(evaluation, call, body);
    return call.transact(async (tx) => {
      const created = await createPolicy(deps, tx, call.actor, body);
      return { ...answerOne(created), headers: { Location: `/v1/policies/${created.doc.id}` } };
    });
  },

  update: async ({ params, body }, call) => {
    if (body.rules) await checkRules(evaluation, call, body.rules);
    const { remediation_action, resource_type, rules } = body;
    if ((remediation_action ?? resource_type ?? rules) !== undefined) {
      const { doc } = await readPolicy(deps.store, params.id);
      await checkAction(evaluation, call, {
        resource_type: resource_type ?? doc.resource_type,
        rules: rules ?? (doc.rules as Rule[]), // checked when they came
        remediation_action:
          remediation_action === undefined ? doc.remediation_action : remediation_action,
      });
    }
    return call.transact(async (tx) =>
      answerOne(await updatePolicy(deps, tx, call, { id: params.id, update: body })),
    );
  },

  delete: async ({ params }, call) =>
    call.transact(async (tx) => {
      await deletePolicy(deps, tx, call, params.id);
      return { body: undefined };
    }),
});

const checkRules = (evaluation: Evaluation, call: Call, rules: readonly Rule[]): Promise<void> =>
  checkConditions(
    (conditions) => evaluation.check(askerOf(call), conditions),
    [{ rules, where: '' }],
  );

/** @throws GovctlError invalid_policy */
async function checkAction(
  evaluation: Evaluation,
  call: Call,
  {
    remediation_action: text,
    resource_type: type,
    rules,
  }: Pick<PolicyInput, 'resource_type' | 'rules'> & {
    readonly remediation_action?: string | null | undefined;
  },
): Promise<void> {
  if (!text) return;
  const problem = await evaluation.checkAction(askerOf(call), { text, type, rules });
  if (problem !== undefined) throw invalidField('invalid_policy', 'remediation_action', problem);
}
