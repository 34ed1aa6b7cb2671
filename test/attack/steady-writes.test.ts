import { afterEach, describe, expect, it } from 'vitest';
import type { Evaluation } from '../../src/server/evaluation/evaluation.ts';
import { TimeUp } from '../../src/server/threads/time-up.ts';
import { inventoryOf } from '../server/inventory-service.ts';
import { testEvaluator } from '../server/evaluation/test-evaluator.ts';
import { createCompose } from '../../src/server/reports/generation/compose-report.ts';
import { create, idOf, read, startReports } from '../server/reports/report-world.ts';
import type { ReportOptions } from '../server/reports/report-world.ts';
import type { TestService } from '../server/test-service.ts';

let service: TestService;
afterEach(() => service.close());

const isRequest = ({ request }: Parameters<Evaluation['ofStored']>[1]): boolean => request === true;

const askedFor = () => Promise.reject(new Error('no report asks for costs'));
const noCost = { assessor: { assessAll: askedFor }, analyze: askedFor, forecast: askedFor };

/** A service with reports; the background evaluates as `wrap` says, two resources at once. */
async function start(wrap: (evaluation: Evaluation) => Evaluation, options: ReportOptions = {}) {
  let wrapped: Evaluation | undefined;
  service = await startReports({
    ...options,
    wrapEvaluation: (evaluation) => (wrapped = wrap(evaluation)),
    reports: {
      compose: createCompose(new Set(), noCost),
    },
  });
  return {
    inventory: inventoryOf(service),
    evaluator: testEvaluator(service.deps, 2, wrapped),
  };
}

const nameOf = (at: number): string => `r${at}`;
const deployments = async (): Promise<unknown[]> => {
  const { json } = await service.send('GET', '/v1/events?type=policy.deployment.completed');
  return (json.events as { data: { policy: { evaluation: unknown } } }[]).map(
    ({ data }) => data.policy.evaluation,
  );
};

describe('a machine on which the time for background evaluation is up again and again', () => {
  /** Times that it is up yet: more than anything that fails is tried. */
  let left = 0;
  const slow = (evaluation: Evaluation): Evaluation => ({
    ...evaluation,
    async ofStored(asker, question) {
      if (!isRequest(question) && left > 0) {
        left -= 1;
        throw new TimeUp('no answer within 30,000 ms');
      }
      return evaluation.ofStored(asker, question);
    },
    async describe(asker, rules) {
      if (left > 0) {
        left -= 1;
        throw new TimeUp('no answer within 30,000 ms');
      }
      return evaluation.describe(asker, rules);
    },
  });

  async function startWithSome() {
    const world = await start(slow);
    for (let at = 0; at < 5; at += 1) await world.inventory.put(nameOf(at), { public: at < 3 });
    return world;
  }
  /** Until nothing is left to be up. */
  async function settle(step: () => Promise<unknown>): Promise<void> {
    left = 12;
    for (let tries = 0; tries < 12; tries += 1) {
      await step();
      service.advance(60_000);
    }
    expect(left).toBe(0);
    await step();
  }

  it('completes a scan, which finds what it finds on any machine', async () => {
    const { inventory, evaluator } = await startWithSome();
    await inventory.createPolicy('p');
    await evaluator.run();
    const { json } = await inventory.ok('POST', '/v1/scans', { body: {} });
    await settle(evaluator.run);
    const { json: scan } = await inventory.ok('GET', `/v1/scans/${String(json.id)}`);
    expect(scan).toMatchObject({
      status: 'completed',
      summary: { evaluated: 5, fail: 3, pass: 2, error: 0 },
    });
  });

  it('evaluates a policy to its end', async () => {
    const { inventory, evaluator } = await startWithSome();
    await inventory.createPolicy('p');
    await settle(evaluator.run);
    expect(await inventory.violations()).toHaveLength(3);
    expect(await deployments()).toMatchObject([{ evaluated: 5, fail: 3, pass: 2, error: 0 }]);
  });

  it('makes a report as if nothing had been', async () => {
    const { inventory, evaluator } = await startWithSome();
    await inventory.createPolicy('p');
    await evaluator.run();
    const id = idOf(await create(service));
    await settle(() => service.reportWork.idle());
    expect(await read(service, id)).toMatchObject({
      status: 'completed',
      summary: { overall_compliance_score: 40, total_violations: 3 },
    });
  });
});

describe('somebody who writes steadily', () => {
  /** What happens each time between evaluation and transaction of the background, and how often it did. */
  let happens: (() => Promise<unknown>) | undefined;
  let times = 0;
  const disturbed =
    (isSpent: boolean) =>
    (evaluation: Evaluation): Evaluation => ({
      ...evaluation,
      async ofStored(asker, question) {
        if (isRequest(question)) {
          if (!isSpent || !happens) return evaluation.ofStored(asker, question);
          // What it could not evaluate is left to the background.
          return { of: () => undefined, isSpent };
        }
        const verdicts = await evaluation.ofStored(asker, question);
        times += 1;
        await happens?.();
        return verdicts;
      },
    });

  async function startWithSome(isSpent = false) {
    happens = undefined;
    times = 0;
    const world = await start(disturbed(isSpent));
    for (let at = 0; at < 6; at += 1) await world.inventory.put(nameOf(at), { public: true });
    return world;
  }
  /** As many steps as the work takes with nobody there, and some more; or until it ends. */
  async function steps({ evaluator }: Awaited<ReturnType<typeof start>>, most = 20): Promise<void> {
    for (let at = 0; at < most && (await evaluator.step()); at += 1);
  }

  it('does not keep a policy from being evaluated to its end, and once more after it', async () => {
    const world = await startWithSome(true);
    const { inventory } = world;
    await inventory.createPolicy('p');
    happens = () => inventory.put('r0', { public: times % 2 === 0 });
    await steps(world);
    expect((await deployments()).length).toBe(1);
    happens = undefined;
    await inventory.put('r0', { public: false });
    await steps(world);
    expect(await world.evaluator.step()).toBe(false);
    const open = (await inventory.violations('status=OPEN')).map(({ resource_id: id }) => id);
    expect(open.sort()).toEqual(['r1', 'r2', 'r3', 'r4', 'r5']);
  });

  it('does not hold up a policy or a scan at resources that change constantly', async () => {
    const world = await startWithSome();
    const { inventory } = world;
    happens = async () => {
      for (const at of [0, 1, 3]) await inventory.put(nameOf(at), { public: true, times });
    };
    await inventory.createPolicy('p');
    await steps(world);
    expect(await deployments()).toMatchObject([{ evaluated: 6, fail: 6 }]);
    const { json } = await inventory.ok('POST', '/v1/scans', { body: {} });
    await steps(world);
    const { json: scan } = await inventory.ok('GET', `/v1/scans/${String(json.id)}`);
    expect(scan).toMatchObject({ status: 'completed', resources_scanned: 6, summary: { fail: 6 } });
    expect(await inventory.violations('status=OPEN')).toHaveLength(6);
  });

  it('does not hold up a scan at a policy that changes constantly', async () => {
    const world = await startWithSome();
    const { inventory } = world;
    const id = await inventory.createPolicy('p');
    await steps(world);
    const { json } = await inventory.ok('POST', '/v1/scans', { body: {} });
    happens = () =>
      inventory.changePolicy(id, {
        rules: [{ condition: `resource.public && ${times} > 0`, effect: 'DENY' }],
      });
    await steps(world, 40);
    happens = undefined;
    const { json: scan } = await inventory.ok('GET', `/v1/scans/${String(json.id)}`);
    expect(scan).toMatchObject({ status: 'completed', resources_scanned: 6 });
  });
});
