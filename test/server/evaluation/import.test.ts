import { afterEach, expect, it } from 'vitest';
import type { Evaluation } from '../../../src/server/evaluation/evaluation.ts';
import { evaluationWork } from '../../../src/server/evaluation/work.ts';
import { countRows } from '../../../src/server/store/all-rows.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

let service: TestService;
afterEach(() => service.close());

const linesOf = (count: number, fields: object): string =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ id: `r${n}`, type: 'AWS::S3::Bucket', ...fields }),
  ).join('\n');

const isPublic = { rules: [{ condition: 'resource.public == true', effect: 'DENY' }] };

/** @returns how many violations are open, evaluations count in the overview, and evaluations wait for the background */
async function afterImport(text: string) {
  const inventory = inventoryOf(service);
  const { json } = await inventory.importLines(text);
  const list = await inventory.ok('GET', '/v1/violations?status=OPEN&limit=1');
  const overview = await inventory.ok('GET', '/v1/governance/overview');
  return {
    created: json.created,
    open: (list.json.pagination as { total: number }).total,
    evaluated: (overview.json.governance_overview as { evaluated: number }).evaluated,
    waiting: await countRows(service.deps.store, evaluationWork),
  };
}

it('an import answers when all that it stored is evaluated, however many violations it finds', async () => {
  service = await startTestService();
  const inventory = inventoryOf(service);
  await Promise.all(
    Array.from({ length: 15 }, (_, n) => inventory.createPolicy(`p${n}`, isPublic)),
  );
  expect(await afterImport(linesOf(450, { public: true }))).toEqual({
    created: 450,
    open: 6_750,
    evaluated: 6_750,
    waiting: 0,
  });
  const log = await inventory.ok('GET', '/v1/audit-log?action=resource.import');
  expect(log.json.audit_log).toHaveLength(1);
});

it('an import evaluates everything where the budget of one request is too small for a batch', async () => {
  /** Has a budget for three resources. */
  const wrapEvaluation = (evaluation: Evaluation): Evaluation => ({
    ...evaluation,
    async ofStored(asker, { subjects, ...question }) {
      const verdicts = await evaluation.ofStored(asker, {
        ...question,
        subjects: question.request ? subjects.slice(0, 3) : subjects,
      });
      return {
        of: (policy, resource) => verdicts.of(policy, resource),
        isSpent: question.request === true && subjects.length > 3,
      };
    },
  });
  service = await startTestService({ wrapEvaluation });
  await inventoryOf(service).createPolicy('p', isPublic);
  expect(await afterImport(linesOf(20, { public: true }))).toEqual({
    created: 20,
    open: 20,
    evaluated: 20,
    waiting: 0,
  });
});

it('an import leaves to the background what the budget does not even suffice for on one resource', async () => {
  const wrapEvaluation = (evaluation: Evaluation): Evaluation => ({
    ...evaluation,
    ofStored: async (asker, question) =>
      question.request
        ? { of: () => undefined, isSpent: true }
        : evaluation.ofStored(asker, question),
  });
  service = await startTestService({ wrapEvaluation });
  await inventoryOf(service).createPolicy('p', isPublic);
  expect(await afterImport(linesOf(3, { public: true }))).toMatchObject({ created: 3, waiting: 1 });
  await service.evaluator.run();
  expect(await inventoryOf(service).violations()).toHaveLength(3);
});
