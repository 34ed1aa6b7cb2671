import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Resource } from '../../src/contract/resources.ts';
import { UnknownValue } from '../../src/contract/resources.ts';
import { createDocuments } from '../../src/cli/check/documents.ts';
import { isFields } from '../../src/inventory/json.ts';
import { readInventory } from '../../src/inventory/read.ts';
import type { InventoryRead } from '../../src/inventory/read.ts';
import { hasInputs, inputPath, readFolder, readInput } from './public-inputs.ts';

const folder = 'gcp-assets';
const validator = 'GoogleCloudPlatform__terraform-validator';

/** Things that follow from where the document comes from, not from what it says. */
const own = ['id', 'account_id', 'properties', 'source', 'tags', 'name', 'region'];

const judged = (resource: Resource): Record<string, unknown> =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => !own.includes(name)));

/** An export of resources leaves open which IAM policy they have; a plan has what it makes. */
const exported = (resource: Resource): Record<string, unknown> =>
  Object.fromEntries(Object.entries(judged(resource)).filter(([, value]) => isTold(value)));

const isTold = (value: unknown): boolean =>
  !(value instanceof UnknownValue) &&
  (typeof value !== 'object' || value === null || Object.values(value).every(isTold));

/** Sets have no order: a plan and an asset may list rules and accounts in their own. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value
        .map(sorted)
        .map((one) => JSON.stringify(one))
        .sort()
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, sorted(one)]))
      : value;

function resourcesOf(read: InventoryRead): readonly Resource[] {
  if (!read.ok) throw new Error(read.problem.message);
  return read.inventory.resources.map(({ resource }) => resource);
}

describe.runIf(hasInputs(folder))('public assets', () => {
  test('all load, commented lines and documents one after the other too', () => {
    const { failed, resources } = readFolder(folder, 'gcp-assets');
    expect(failed).toEqual([]);
    expect(resources).toBeGreaterThan(300);
  });

  test('an export of IAM policies beside one of resources is as one file', () => {
    const texts = ['resources', 'iam_policies'].map((part) =>
      readFileSync(inputPath(`${folder}/forseti-security__forseti-security/additional_cai_${part}.dump.ndjson`), 'utf8'),
    ); // prettier-ignore
    const documents = createDocuments({}, (work) => work(), texts.length);
    for (const [nth, text] of texts.entries()) {
      const input = { file: `${nth}`, absolute: `/${nth}`, size: text.length, named: true };
      expect(documents.open(input, Buffer.from(text))).toBeUndefined();
    }
    const apart = documents.waiting().map((one) => resourcesOf(one.read()));
    const together = readInventory(texts.join('\n').replace(/^#.*$/gm, ''));
    expect(apart).toEqual([resourcesOf(together)]);
    const both = resourcesOf(together).filter(({ iam, properties }) => isFields(iam) && Object.keys(properties).length > 1); // prettier-ignore
    expect(both.length).toBeGreaterThan(1);
  });

  test.each([
    ['example_bigquery_dataset_iam_policy', 'GCP::Bigquery::Dataset'],
    ['example_compute_snapshot', 'GCP::Compute::Disk'],
    ['example_compute_ssl_policy', 'GCP::Compute::SslPolicy'],
    ['example_project_create', 'GCP::Cloudresourcemanager::Project'],
    ['example_pubsub_topic', 'GCP::Pubsub::Topic'],
    ['example_storage_bucket_iam_member', 'GCP::Storage::Bucket'],
    ['full_compute_firewall', 'GCP::Compute::Firewall'],
    ['full_compute_firewall', 'GCP::Compute::Network'],
    ['full_container_node_pool', 'GCP::Container::NodePool'],
  ])('%s: the plan and the assets it becomes give %s the same attributes', (name, type) => {
    const [assets, plan] = [
      `${folder}/${validator}/${name}.json`,
      `terraform-plan/${validator}/${name}.tfplan.json`,
    ].map((file) => {
      const read = readInput(file);
      if (!read.ok) throw new Error(read.problem.message);
      return read.inventory.resources
        .map(({ resource }) => resource)
        .filter((resource) => resource.type === type);
    });
    expect(assets?.length).toBeGreaterThan(0);
    expect(plan).toHaveLength(assets?.length ?? 0);
    const told = new Set(assets?.flatMap((one) => Object.keys(exported(one))));
    const ofBoth = (resource: Resource) =>
      Object.fromEntries(Object.entries(judged(resource)).filter(([name]) => told.has(name)));
    expect(sorted(plan?.map(ofBoth))).toEqual(sorted(assets?.map(exported)));
  });
});
