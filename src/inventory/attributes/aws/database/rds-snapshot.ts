import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { at, isOneOf, isUnknown, list } from '../../values.ts';
import { field } from '../api-field.ts';
import { supplementary } from '../config-item.ts';
import { planned } from '../plan-value.ts';

export const rdsSnapshot = normaliser({
  types: ['AWS::RDS::DBSnapshot', 'AWS::RDS::DBClusterSnapshot'],
  source: 'Amazon RDS API Reference, API version 2014-10-31',
  attributes: {
    shared_with: {
      type: 'list<string>',
      spelling: 'lower',
      meaning: 'accounts that the snapshot is shared with; `all` means every AWS account',
      absent: [],
    },
  },
  arguments: { 'restore attribute': 'shared_accounts' },
  from: {
    terraform: ({ properties }) => ({ shared_with: list(planned(properties, 'shared_accounts')) }),
    'aws-config': (raw) => ({ shared_with: restoreOf(raw) }),
  },
});

/** An item has the attributes of the snapshot beside its configuration. */
function restoreOf(raw: RawResource): unknown {
  const part = raw.type.endsWith('DBSnapshot')
    ? 'DBSnapshotAttributes'
    : 'DBClusterSnapshotAttributes';
  const attributes = list(supplementary(raw, part));
  if (isUnknown(attributes)) return attributes;
  const restore = attributes.find(
    (one) => isOneOf(field(one, 'AttributeName'), 'restore') === true,
  );
  return list(at(restore, 'attributeValues') ?? field(restore, 'AttributeValues'));
}
