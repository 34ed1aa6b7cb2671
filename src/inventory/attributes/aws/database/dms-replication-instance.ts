import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { flag } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

const fromApi = ({ properties }: RawResource) => ({
  public_access: flag(field(properties, 'PubliclyAccessible')),
});

export const dmsReplicationInstance = normaliser({
  types: ['AWS::DMS::ReplicationInstance'],
  source:
    'AWS Database Migration Service API Reference, API version 2016-01-01; Terraform sets false by default',
  attributes: {
    public_access: {
      type: 'bool',
      meaning: 'the replication instance is publicly accessible',
      absent: true,
    },
  },
  arguments: {
    PubliclyAccessible: 'publicly_accessible',
  },
  from: {
    cloudformation: fromApi,
    'aws-config': fromApi,
    terraform: ({ properties }) => ({
      public_access: flag(planned(properties, 'publicly_accessible')) ?? false,
    }),
  },
});
