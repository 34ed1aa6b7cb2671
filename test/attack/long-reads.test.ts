// Reads and changes that are about very many rows: others are answered meanwhile, and what is answered is whole.
import { afterEach, describe, expect, it } from 'vitest';
import { nearestWord } from '../../src/contract/nearest.ts';
import { events } from '../../src/server/events/collection.ts';
import type { StoredEvent } from '../../src/server/events/collection.ts';
import { coverId, evaluationWork } from '../../src/server/evaluation/work.ts';
import { manualEvidence } from '../../src/server/evidence/collection.ts';
import { policies } from '../../src/server/policies/collection.ts';
import { alertId } from '../../src/server/prediction/collection.ts';
import { reportDownloads, reportLinks } from '../../src/server/reports/download/collection.ts';
import type { StoredDownload } from '../../src/server/reports/download/collection.ts';
import { countRows } from '../../src/server/store/all-rows.ts';
import type {
  CollectionSpec,
  Document,
  Page,
  PageQuery,
  Store,
  Tx,
} from '../../src/server/store/store.ts';
import { violations } from '../../src/server/violations/collection.ts';
import type { StoredViolation } from '../../src/server/violations/collection.ts';
import { webhooks } from '../../src/server/webhooks/collection.ts';
import { answers, deliveries } from '../../src/server/webhooks/delivery/collection.ts';
import type { StoredDelivery } from '../../src/server/webhooks/delivery/collection.ts';
import { withoutAbsent } from '../../src/server/without-absent.ts';
import { inventoryOf } from '../server/inventory-service.ts';
import { policy, startTestService } from '../server/test-service.ts';
import type { TestService } from '../server/test-service.ts';

const at = '2026-02-20T12:00:00.000Z';
const pad = (n: number): string => String(n).padStart(7, '0');

let service: TestService;
afterEach(() => service.close());

/** What the store was asked, and what is done while it is. */
interface Watched {
  /** Rows of pages. */
  read: number;
  /** Writes of each transaction. */
  writes: number[];
  /** Called after each page outside of transactions. */
  onPage: (collection: string) => Promise<void>;
  /** Called for each row that is handed out, which may be put in another's place. */
  onRow: (collection: string, doc: Document) => Document;
}

const watched: Watched = {
  read: 0,
  writes: [],
  onPage: () => Promise.resolve(),
  onRow: (_, doc) => doc,
};

function watch(store: Store): Store {
  Object.assign(watched, {
    read: 0,
    writes: [],
    onPage: () => Promise.resolve(),
    onRow: (_: string, doc: Document) => doc,
  });
  return {
    ...store,
    async page<T extends Document>(spec: CollectionSpec<T>, query: PageQuery): Promise<Page<T>> {
      const page = await store.page(spec, query);
      watched.read += page.rows.length;
      await watched.onPage(spec.name);
      const rows = page.rows.map((row) => ({
        ...row,
        doc: watched.onRow(spec.name, row.doc) as T,
      }));
      return { ...page, rows };
    },
    transact: (work, owner) =>
      store.transact(async (tx) => {
        let count = 0;
        const counting =
          <A extends readonly unknown[], R>(write: (...given: A) => R) =>
          (...given: A): R => {
            count += 1;
            return write(...given);
          };
        const counted: Tx = {
          ...tx,
          insert: counting(tx.insert) as Tx['insert'],
          replace: counting(tx.replace) as Tx['replace'],
          remove: counting(tx.remove) as Tx['remove'],
          append: counting(tx.append),
        };
        const result = await work(counted);
        watched.writes.push(count);
        return result;
      }, owner),
  };
}

const start = async (options: Parameters<typeof startTestService>[0] = {}) => {
  service = await startTestService({ wrapStore: watch, ...options });
  return { inventory: inventoryOf(service), store: service.deps.store };
};

async function fill<T extends Document>(
  spec: CollectionSpec<T>,
  count: number,
  rowOf: (n: number) => T,
): Promise<void> {
  for (let from = 0; from < count; from += 1_000) {
    await service.deps.store.transact(async (tx) => {
      for (let n = from; n < Math.min(count, from + 1_000); n += 1) await tx.insert(spec, rowOf(n));
    });
  }
  watched.writes = [];
  watched.read = 0;
}

/** What comes of some work, and how many requests of others were answered one after the other meanwhile. */
async function beside<R>(work: () => Promise<R>): Promise<{ result: R; answered: number }> {
  let isOver = false;
  let answered = 0;
  const others = (async () => {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isOver) return;
      expect((await service.send('GET', '/healthz')).status).toBe(200);
      answered += 1;
    }
  })();
  const result = await work().finally(() => (isOver = true));
  await others;
  return { result, answered };
}

const post = (path: string, body: unknown) => service.send('POST', path, { body });

/** A policy, an exemption of it, and violations that it covers. */
async function exempt(count: number): Promise<{ policyId: string }> {
  const inventory = inventoryOf(service);
  const policyId = await inventory.createPolicy('p');
  const exemption = await inventory.exempt({});
  await fill(violations, count, (n): StoredViolation => ({
    id: `viol_${pad(n)}`,
    status: 'EXEMPT',
    policy_id: policyId,
    policy_name: 'p',
    severity: 'MEDIUM',
    resource_id: `r${pad((n * 7_919) % count)}`,
    resource_type: 'AWS::S3::Bucket',
    provider: 'aws',
    tags: {},
    compliance_frameworks: [],
    message: 'Make it private',
    rules: [],
    exemption_id: exemption,
    detected_at: at,
    updated_at: at,
    history: [],
  }));
  return { policyId };
}

describe('predictions', () => {
  const count = 6_000;
  const list = async () => {
    const { json } = await service.send(
      'GET',
      '/v1/violations/predictive?horizon_days=90&limit=100',
    );
    return json as unknown as {
      predictive_alerts: { id: string }[];
      pagination: { total: number };
    };
  };

  it('one of very many is found without a look at the others', async () => {
    await start();
    const { policyId } = await exempt(count);
    const id = alertId(policyId, `r${pad(count - 1)}`, 'exemption_expiry');
    const { status, json } = await service.send('GET', `/v1/violations/predictive/${id}`);
    expect([status, json.resource_id]).toEqual([200, `r${pad(count - 1)}`]);
    expect(watched.read).toBeLessThan(20);
    // As soon as nothing covers it any more, there is none.
    const { doc } = (await service.deps.store.find(violations, 'expiry_alert', id)) ?? {};
    if (!doc) throw new Error('the violation is not there');
    const open = withoutAbsent({ ...doc, status: 'OPEN' as const, exemption_id: undefined });
    await service.deps.store.transact((tx) => tx.replace(violations, open as StoredViolation));
    expect((await service.send('GET', `/v1/violations/predictive/${id}`)).status).toBe(404);
  });

  it('a list of very many is made beside others, the soonest first, without those that go meanwhile', async () => {
    const { store } = await start();
    const { policyId } = await exempt(count);
    const idOf = (n: number) => alertId(policyId, `r${pad(n)}`, 'exemption_expiry');
    let isGone = false;
    watched.onPage = async (collection) => {
      if (collection !== violations.name || isGone) return;
      isGone = true;
      await store.transact(async (tx) => {
        for (const n of [count - 1, count - 2]) await tx.remove(violations, `viol_${pad(n)}`);
      });
    };
    const { result, answered } = await beside(list);
    expect(answered).toBeGreaterThan(20);
    const left = Array.from({ length: count - 2 }, (_, n) => idOf((n * 7_919) % count)).sort();
    expect(result.predictive_alerts.map(({ id }) => id)).toEqual(left.slice(0, 100));
    expect(result.pagination.total).toBe(count - 2);
  });
});

describe('deliveries and events', () => {
  const count = 3_000;
  const addEvents = () =>
    fill(events, count, (n): StoredEvent => ({
      // In another order than their sequence.
      id: `evt_${pad((n * 7_919) % count)}`,
      type: 'policy.violation.detected',
      created: at,
      sequence: n + 1,
      data: '{}',
    }));
  const failed = (webhook: string, n: number): StoredDelivery => ({
    id: `dlv_${pad(n)}`,
    webhook_id: webhook,
    event_id: `evt_${pad(n)}`,
    event_type: 'policy.violation.detected',
    status: 'failed',
    created_at: at,
    updated_at: at,
    attempts: [],
  });
  const createWebhook = async () => {
    const { json } = await post('/v1/webhooks', {
      url: 'http://127.0.0.1:9/',
      events: ['policy.violation.detected'],
      secret: 'a-long-enough-secret',
      active: false,
    });
    return String(json.id);
  };
  const waitingFor = async (lane: string) =>
    service.deps.store.laneWork({ name: 'webhooks' }, { lane, limit: 10_000 });

  it('a replay of very many that nobody gets is made beside others, and counts none that went meanwhile', async () => {
    const { store } = await start();
    await addEvents();
    let pages = 0;
    watched.onPage = async (collection) => {
      // Once it was read: the first page is of the newest event.
      if (collection !== events.name || (pages += 1) !== 2) return;
      await store.transact((tx) => tx.remove(events, `evt_${pad(0)}`));
    };
    const range = { since: at, until: '2026-02-21T00:00:00Z' };
    const { result, answered } = await beside(() => post('/v1/events/replay', range));
    expect(result.json).toEqual({ events: count - 1, deliveries: 0 });
    // A batch has 100.
    expect(answered).toBeGreaterThan(count / 100);
  });

  it('very many failed deliveries are queued again beside others, in the order of their events', async () => {
    const { store } = await start();
    await addEvents();
    const id = await createWebhook();
    await fill(deliveries, count, (n) => failed(id, n));
    let isGone = false;
    watched.onPage = async (collection) => {
      if (collection !== deliveries.name || isGone) return;
      isGone = true;
      await store.transact((tx) => tx.remove(deliveries, `dlv_${pad(count - 1)}`));
    };
    const { result, answered } = await beside(() => post(`/v1/webhooks/${id}/redeliver`, {}));
    expect(result.json).toEqual({ redelivered: count - 1 });
    expect(answered).toBeGreaterThan(count / 100);
    const expected = Array.from({ length: count }, (_, n) => `dlv_${pad((n * 7_919) % count)}`);
    expect((await waitingFor(id)).map(({ work }) => work)).toEqual(
      expected.filter((one) => one !== `dlv_${pad(count - 1)}`),
    );
    expect(Math.max(...watched.writes)).toBeLessThan(1_000);
  });

  it('a webhook with very many deliveries is deleted at once, and they go in short transactions', async () => {
    const { store } = await start();
    const [id, other] = [await createWebhook(), await createWebhook()];
    await fill(deliveries, 3_000, (n) => failed(n === 7 ? other : id, n));
    await fill(answers, 1_200, (n) => ({
      id: `dlv_${pad(n)}.1`,
      webhook_id: n === 7 ? other : id,
      at,
      body: 'x'.repeat(2_000),
    }));
    const order: string[] = [];
    const deleting = service.send('DELETE', `/v1/webhooks/${id}`).then(({ status }) => {
      order.push('deleted');
      return status;
    });
    for (const n of [1, 2, 3]) {
      expect((await post('/v1/policies', policy(`p${n}`))).status).toBe(201);
      order.push('policy');
    }
    expect(await deleting).toBe(204);
    // Those that come later need not wait for it.
    expect(order.indexOf('policy')).toBeLessThan(order.indexOf('deleted'));
    expect(Math.max(...watched.writes)).toBeLessThan(600);
    expect([await countRows(store, deliveries), await countRows(store, answers)]).toEqual([1, 1]);
    expect((await service.send('GET', `/v1/webhooks/${id}/deliveries`)).status).toBe(404);
  });

  it('deliveries of a webhook that was being deleted when the server ended are removed after the next start', async () => {
    const { store } = await start({ receive: () => Promise.reject(new Error('nothing is sent')) });
    const id = await createWebhook();
    await fill(deliveries, 1_100, (n) => failed(n === 7 ? id : 'wh_gone', n));
    await fill(answers, 3, (n) => ({ id: `x.${n}`, webhook_id: 'wh_gone_too', at, body: '' }));
    await service.maintain();
    expect([await countRows(store, deliveries), await countRows(store, answers)]).toEqual([1, 0]);
    expect(await countRows(store, webhooks)).toBe(1);
  });

  it('a report with a long access log is deleted at once, and the log goes in short transactions', async () => {
    const { store } = await start();
    const { json } = await post('/v1/reports', { name: 'r', type: 'compliance', scope: {} });
    const report = String(json.report_id ?? json.id);
    await fill(reportDownloads, 2_000, (n): StoredDownload => ({
      id: `dl_${n}`,
      report_id: n === 7 ? 'rpt_other' : report,
      at,
      format: 'pdf',
      by: 'x',
      via: 'token',
    }));
    expect((await service.send('DELETE', `/v1/reports/${report}`)).status).toBe(204);
    expect(Math.max(...watched.writes)).toBeLessThan(600);
    expect(await countRows(store, reportDownloads)).toBe(1);
    expect(await countRows(store, reportLinks)).toBe(0);
  });
});

describe('labels and evidence', () => {
  const labels = (n: number) => Array.from({ length: 100 }, (_, of) => `custom-${n}-${of}:c${of}`);
  const addPolicies = async (count: number) => {
    const id = await inventoryOf(service).createPolicy('p');
    const row = await service.deps.store.get(policies, id);
    if (!row) throw new Error('the policy is not there');
    await fill(policies, count, (n) => ({
      ...row.doc,
      id: `pol_${pad(n)}`,
      name: `p${n}`,
      compliance_frameworks: labels(n),
    }));
  };
  const report = (framework: string) =>
    post('/v1/reports', { name: 'r', type: 'compliance', framework, scope: {} });

  it('a framework is looked up among very many labels, and the nearest one found beside others', async () => {
    await start();
    await addPolicies(40);
    for (const known of ['custom-39-7:c7', 'CUSTOM-39-7', 'custom-0-0', 'PCI DSS', 'soc2']) {
      expect([known, (await report(known)).status]).toEqual([known, 201]);
    }
    const given = 'kustom-39-8:c8';
    const { result, answered } = await beside(() => report(given));
    const names = Array.from({ length: 40 }, (_, n) => labels(n)).flat();
    const nearest = nearestWord(given, names.flatMap((name) => [name, name.slice(0, name.indexOf(':'))])); // prettier-ignore
    expect(result.json.details).toEqual([
      {
        field: 'framework',
        message: `is not a known framework or control; did you mean ${nearest}?`,
      },
    ]);
    expect(nearest).toBe('custom-39-8:c8');
    // 8,000 names.
    expect(answered).toBeGreaterThan(20);
    expect((await report('custom-39-8:c9')).status).toBe(400);
  });

  it('policies that go while the nearest framework is looked for keep nothing from being answered', async () => {
    const { store } = await start();
    await addPolicies(450);
    let isGone = false;
    // In a transaction, whose pages are its own: it sees all, or none of what comes meanwhile.
    const { result } = await beside(async () => {
      const asked = report('kustom-449-8:c8');
      const gone = store.transact(async (tx) => {
        for (let n = 0; n < 450; n += 1) await tx.remove(policies, `pol_${pad(n)}`);
        isGone = true;
      });
      const got = await asked;
      await gone;
      return got;
    });
    expect([isGone, result.status]).toEqual([true, 400]);
    expect((await report('custom-449-8:c8')).status).toBe(400);
  });

  it('evidence that persons attached is put to its controls by one look at each', async () => {
    await start();
    const got = await service.send('GET', '/v1/compliance/frameworks/nist-800-53');
    const { id, controls } = got.json as { id: string; controls: { id: string }[] };
    await fill(manualEvidence, 1_000, (n) => ({
      id: `evm_${pad(n)}`,
      framework: id,
      control_id: controls[n % controls.length]?.id ?? '',
      expires: '2027-01-01',
      text: 'x',
      created_at: at,
      created_by: 'x',
    }));
    let looked = 0;
    watched.onRow = (collection, doc) => {
      if (collection !== manualEvidence.name) return doc;
      const { control_id: control } = doc as Document & { control_id: string };
      const get = () => ((looked += 1), control);
      return Object.defineProperty({ ...doc }, 'control_id', { get, enumerable: true });
    };
    const list = await service.send(
      'GET',
      '/v1/compliance/evidence?framework=nist-800-53&source=manual&limit=100',
    );
    const { evidence, pagination } = list.json as {
      evidence: { control_id: string }[];
      pagination: { total: number };
    };
    expect(pagination.total).toBe(1_000);
    expect(evidence.slice(0, 4).map((one) => one.control_id)).toEqual(
      Array.from({ length: 4 }, () => controls[0]?.id),
    );
    // For each control they would be 287,000.
    expect(looked).toBeLessThan(10_000);
  });
});

describe('exemptions of a key that very many policies have', () => {
  const count = 230;
  const statuses = async () => {
    const { store } = service.deps;
    const of = (status: string) => countRows(store, violations, { status: { any: [status] } });
    return { open: await of('OPEN'), exempt: await of('EXEMPT') };
  };

  it('count for all of them soon after, some policies in each transaction', async () => {
    const { inventory, store } = await start();
    for (let n = 0; n < count; n += 1) {
      await inventory.createPolicy(`p${n}`, { tags: ['govctl.key:k'] });
    }
    await inventory.put('b', { public: true });
    await service.evaluator.run();
    expect(await statuses()).toEqual({ open: count, exempt: 0 });
    watched.writes = [];
    const id = await inventory.exempt({ policy: 'k' });
    // The others are yet to come, and the row that says so is there.
    expect((await statuses()).exempt).toBe(100);
    expect((await store.get(evaluationWork, coverId('k')))?.doc).toMatchObject({ kind: 'cover' });
    await service.evaluator.run();
    expect(await statuses()).toEqual({ open: 0, exempt: count });
    expect(await store.get(evaluationWork, coverId('k'))).toBeUndefined();
    await inventory.ok('DELETE', `/v1/exemptions/${id}`);
    await service.evaluator.run();
    expect(await statuses()).toEqual({ open: count, exempt: 0 });
    await inventory.exempt({ policy: 'k', expires: '2026-03-02' });
    await service.evaluator.run();
    expect(await statuses()).toEqual({ open: 0, exempt: count });
    service.advance(3 * 86_400_000);
    await service.evaluator.run();
    expect(await statuses()).toEqual({ open: count, exempt: 0 });
    expect(Math.max(...watched.writes)).toBeLessThan(1_500);
  });

  it('go on behind a policy that is deleted meanwhile', async () => {
    const { inventory, store } = await start();
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) {
      ids.push(await inventory.createPolicy(`p${n}`, { tags: ['govctl.key:k'] }));
    }
    await inventory.put('b', { public: true });
    await service.evaluator.run();
    await inventory.exempt({ policy: 'k' });
    const work = (await store.get(evaluationWork, coverId('k')))?.doc;
    if (work?.kind !== 'cover') throw new Error('there is no such work');
    await inventory.ok('DELETE', `/v1/policies/${work.after}`);
    await service.evaluator.run();
    expect(await statuses()).toEqual({ open: 0, exempt: count - 1 });
    expect(ids).toContain(work.after);
  });
});
