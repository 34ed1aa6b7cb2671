import { describe, expect, test } from 'vitest';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import { verdictsOf } from '../../../support/policy-library.ts';
import { planOf, readOne } from '../provider-twins.ts';
import type { Fields } from '../provider-twins.ts';

const unknown = expect.any(UnknownValue) as unknown;

const typeOf = (asset: string): string => {
  const [service = '', kind = ''] = asset.split('.googleapis.com/');
  return `GCP::${service.charAt(0).toUpperCase()}${service.slice(1)}::${kind}`;
};

/** An asset of an export that has IAM policies, too. */
const exported = (asset: string, data: Fields, ...beside: readonly Fields[]) =>
  readOne(
    {
      assets: [
        {
          asset_type: asset,
          name: '//x/a',
          resource: { data: { name: 'a', ...data } },
          ...noPolicy,
        },
        ...beside,
      ],
    },
    typeOf(asset),
  );

const noPolicy = { iam_policy: { bindings: [] } };

const planned = (asset: string, type: string, after: Fields, beside: Fields = {}) =>
  readOne(planOf({ [`${type}.a`]: { name: 'a', ...after }, ...beside }), typeOf(asset));

describe('a machine without a word on it', () => {
  const instance = 'compute.googleapis.com/Instance';
  const shielded = (read: Fields): unknown => read['shielded'];
  const of = (settings: Fields): unknown =>
    shielded(exported(instance, { shieldedInstanceConfig: settings }));
  const ofPlan = (block: unknown): unknown =>
    shielded(planned(instance, 'google_compute_instance', { shielded_instance_config: block }));

  test('that exists is not shielded', () => {
    expect(shielded(exported(instance, {}))).toEqual({
      vtpm: false,
      integrity_monitoring: false,
      secure_boot: false,
    });
  });

  test('in a plan is shielded if its image can be, which the plan does not tell', () => {
    for (const block of [undefined, []])
      expect(ofPlan(block)).toEqual({
        vtpm: unknown,
        integrity_monitoring: unknown,
        secure_boot: false,
      });
  });

  test('but with settings has the module and the monitoring until they say no', () => {
    const on = { vtpm: true, integrity_monitoring: true, secure_boot: true };
    expect(of({ enableSecureBoot: true })).toEqual(on);
    expect(ofPlan([{ enable_secure_boot: true }])).toEqual(on);
    const off = { vtpm: false, integrity_monitoring: true, secure_boot: false };
    expect(of({ enableVtpm: false })).toEqual(off);
    expect(ofPlan([{ enable_vtpm: false }])).toEqual(off);
  });
});

describe('a database', () => {
  const sql = 'sqladmin.googleapis.com/Instance';
  const both = (settings: Fields, block: Fields): Fields[] => [
    exported(sql, { settings }),
    planned(sql, 'google_sql_database_instance', { settings: [block] }),
  ];

  test.each([
    [undefined, undefined, false],
    [undefined, true, true],
    ['SSL_MODE_UNSPECIFIED', true, true],
    ['ENCRYPTED_ONLY', false, true],
    ['TRUSTED_CLIENT_CERTIFICATE_REQUIRED', true, true],
    ['ALLOW_UNENCRYPTED_AND_ENCRYPTED', false, false],
    ['ALLOW_UNENCRYPTED_AND_ENCRYPTED', true, false],
    ['QUANTUM_ONLY', true, unknown],
  ])('with sslMode %j and requireSsl %j', (sslMode, requireSsl, required) => {
    const read = both(
      { ipConfiguration: { sslMode, requireSsl } },
      { ip_configuration: [{ ssl_mode: sslMode, require_ssl: requireSsl }] },
    );
    for (const one of read) expect(one).toMatchObject({ tls: { required } });
  });

  test.each<[Fields, Fields, boolean, boolean]>([
    [{}, {}, false, false],
    [{ edition: 'ENTERPRISE' }, {}, false, false],
    [{ edition: 'ENTERPRISE_PLUS' }, {}, false, true],
    [{ edition: 'ENTERPRISE_PLUS' }, { enabled: true }, false, true],
    [{ edition: 'ENTERPRISE_PLUS' }, { enabled: false }, false, false],
  ])('of %j with backups %j', (edition, backups, asset, plan) => {
    const [a, p] = both(
      { ...edition, backupConfiguration: backups },
      { ...edition, backup_configuration: [backups] },
    );
    expect(a).toMatchObject({ backup: { point_in_time_recovery: asset } });
    expect(p).toMatchObject({ backup: { point_in_time_recovery: plan } });
  });
});

test('an existing network without a mode is a legacy one, a planned one is in auto mode', () => {
  const network = 'compute.googleapis.com/Network';
  const auto = 'auto_create_subnetworks';
  expect(exported(network, { IPv4Range: '10.240.0.0/16' })[auto]).toBe(false);
  expect(planned(network, 'google_compute_network', {})[auto]).toBe(true);
});

test('who repairs the nodes of a plan that is silent on it nobody knows; of an export, nobody', () => {
  const pool = 'container.googleapis.com/NodePool';
  expect(exported(pool, {})).toMatchObject({ auto_upgrade: false, auto_repair: false });
  const silent = planned(pool, 'google_container_node_pool', {});
  expect(silent).toMatchObject({ auto_upgrade: unknown, auto_repair: unknown });
  expect(verdictsOf(silent)['gcp-gke-node-pool-maintenance']).toMatch(/^ERROR/);
  const block = { management: [{ auto_upgrade: true, auto_repair: false }] };
  expect(planned(pool, 'google_container_node_pool', block)).toMatchObject({
    auto_upgrade: true,
    auto_repair: false,
  });
});

test('an Autopilot cluster enforces network policies', () => {
  const cluster = 'container.googleapis.com/Cluster';
  const policy = { network: { policy: 'dataplane-v2' } };
  expect(exported(cluster, { autopilot: { enabled: true } })).toMatchObject(policy);
  const plan = planned(cluster, 'google_container_cluster', { enable_autopilot: true });
  expect(plan).toMatchObject(policy);
});

describe('the direction of a firewall rule', () => {
  const firewall = 'compute.googleapis.com/Firewall';
  const allowed = [{ IPProtocol: 'tcp', ports: ['22'] }];
  test.each([
    [undefined, 1, 0],
    ['INGRESS', 1, 0],
    ['egress', 0, 1],
  ])('%j', (direction, ingress, egress) => {
    const read = exported(firewall, { direction, allowed });
    expect(read['ingress']).toHaveLength(ingress);
    expect(read['egress']).toHaveLength(egress);
  });

  test('that nobody has seen is unknown, and nothing passes', () => {
    const read = exported(firewall, { direction: 'SIDEWAYS', allowed });
    expect(read).toMatchObject({ ingress: unknown, egress: unknown });
    const verdicts = Object.entries(verdictsOf(read));
    expect(
      verdicts.filter(([name, one]) => name.startsWith('gcp-firewall-') && one === 'PASS'),
    ).toEqual([]);
  });
});

describe('who may call a function', () => {
  const type = 'cloudfunctions.googleapis.com/Function';
  const service = 'projects/p/locations/l/services/s';
  const everybody = { role: 'roles/run.invoker', members: ['allUsers'] };

  test('is not known where the service behind it is not in the export', () => {
    const read = exported(type, { serviceConfig: { service } });
    expect(read['iam']).toEqual({ bindings: unknown });
  });

  test('is known where it is', () => {
    const behind = {
      asset_type: 'run.googleapis.com/Service',
      name: `//run.googleapis.com/${service}`,
      resource: { data: { name: service } },
      iam_policy: { bindings: [everybody] },
    };
    const read = exported(type, { serviceConfig: { service } }, behind);
    expect(read['iam']).toEqual({ bindings: [everybody] });
  });

  test('a plan says of the service that has its name', () => {
    const read = planned(
      type,
      'google_cloudfunctions2_function',
      {},
      {
        'google_cloud_run_service_iam_member.everybody': {
          service: 'a',
          role: 'roles/run.invoker',
          member: 'allUsers',
        },
      },
    );
    expect(read['iam']).toEqual({ bindings: [everybody] });
  });
});

test('a way in that nobody has seen is unknown, and nothing passes', () => {
  const read = exported('run.googleapis.com/Service', { ingress: 'INGRESS_TRAFFIC_BY_PIGEON' });
  expect(read['ingress_mode']).toEqual(unknown);
  expect(verdictsOf(read)['gcp-cloud-run-ingress']).toMatch(/^ERROR/);
});
