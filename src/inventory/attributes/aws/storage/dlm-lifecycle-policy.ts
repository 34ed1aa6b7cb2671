import { normaliser } from '../../normaliser.ts';
import { at, block, flag, isUnknown, list } from '../../values.ts';

export const dlmLifecyclePolicy = normaliser({
  types: ['AWS::DLM::LifecyclePolicy'],
  source: 'Amazon Data Lifecycle Manager API Reference, API version 2018-01-12',
  attributes: {
    cross_region_copies: {
      type: 'list',
      meaning: 'cross-region copies of snapshots, for all schedules and actions',
      absent: [],
    },
    'cross_region_copies[].encryption.enabled': {
      type: 'bool',
      meaning: 'the copy is encrypted, even if the snapshot is not',
      absent: false,
    },
  },
  arguments: {
    Encrypted: 'encrypted',
  },
  from: {
    cloudformation: ({ properties }) => {
      const details = [at(properties, 'PolicyDetails')];
      return {
        cross_region_copies: [
          ...inside(inside(details, 'Schedules'), 'CrossRegionCopyRules').map((rule) =>
            copy(at(rule, 'Encrypted')),
          ),
          ...inside(inside(details, 'Actions'), 'CrossRegionCopy').map((action) =>
            copy(at(action, 'EncryptionConfiguration', 'Encrypted')),
          ),
        ],
      };
    },
    terraform: ({ properties }) => {
      const details = [block(properties, 'policy_details')];
      return {
        cross_region_copies: [
          ...inside(inside(details, 'schedule'), 'cross_region_copy_rule').map((rule) =>
            copy(at(rule, 'encrypted')),
          ),
          ...inside(inside(details, 'action'), 'cross_region_copy').map((action) =>
            copy(at(block(action, 'encryption_configuration'), 'encrypted')),
          ),
        ],
      };
    },
  },
});

const copy = (encrypted: unknown) => ({ encryption: { enabled: flag(encrypted) ?? false } });

/** All items of the lists of a name in each of these. */
const inside = (all: readonly unknown[], name: string): unknown[] =>
  all.flatMap((one) => {
    const items = list(at(one, name));
    return isUnknown(items) ? [items] : items;
  });
