import type { ReadDocument, Reader } from '../../model.ts';
import { field, fieldsOf, isFields } from '../../json.ts';
import { readPlan } from './plan.ts';
import { toRawResources } from './resource.ts';
import { readStateFile, readStateValues } from './state.ts';
import type { ReadResources } from './state.ts';

/** Plans and states of `terraform show -json`, from 0.12 on, and state files as Terraform keeps them. */
export const terraform: Reader = {
  format: 'terraform',
  detects: (document) => isShown(document) || isStateFile(document) || isPlanLog(document),
  read: (document) => {
    if (isPlanLog(document)) return refused(planLog);
    const fields = fieldsOf(document);
    if (fields['encrypted_data'] !== undefined) return refused(encrypted);
    if (isStateFile(document)) {
      return fields['version'] === 4
        ? found(readStateFile(fields))
        : refused(oldState(String(fields['version'])));
    }
    return found(isFields(fields['values']) ? readStateValues(fields) : readPlan(fields));
  },
};

const found = ({ resources, ...others }: ReadResources): ReadDocument => ({
  raws: toRawResources(resources),
  isPart: true,
  ...others,
});

const refused = (message: string): ReadDocument => ({ raws: [], problems: [{ message }] });

/** A part of a plan is one, too: what it plans says so by itself. */
const isShown = (document: unknown): boolean =>
  isFields(field(field(document, 'planned_values'), 'root_module')) ||
  (typeof field(document, 'format_version') === 'string' &&
    ['resource_changes', 'planned_values', 'values', 'terraform_version'].some(
      (name) => field(document, name) !== undefined,
    ));

const isStateFile = (document: unknown): boolean =>
  (typeof field(document, 'version') === 'number' ||
    field(document, 'encrypted_data') !== undefined) &&
  (typeof field(document, 'lineage') === 'string' ||
    typeof field(document, 'terraform_version') === 'string');

/** What `terraform plan -json` prints: lines about its progress, without the values. */
const isPlanLog = (document: unknown): boolean => {
  const first = Array.isArray(document) ? (document as unknown[])[0] : document;
  return (
    field(first, '@level') !== undefined && String(field(first, '@module')).startsWith('terraform.')
  );
};

const planLog =
  'this is the log of `terraform plan -json`, which omits the values; save the plan with `terraform plan -out=plan.out` and pass `terraform show -json plan.out`';

const encrypted =
  'this state is encrypted, so it cannot be checked; decrypt it with `tofu show -json`';

const oldState = (version: string): string =>
  `this is a Terraform state of version ${version}, from before Terraform 0.12; run \`terraform state pull\` with a current version of Terraform, which writes version 4`;
