import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';
import { plannedSecretSource, secretSource, secretSourceAttribute } from '../secret-source.ts';
import { masterPasswordSource } from './master-password.ts';

export const docdbCluster = normaliser({
  types: ['AWS::DocDB::DBCluster'],
  source: 'Amazon DocumentDB API Reference, API version 2014-10-31',
  attributes: { 'master_password.source': secretSourceAttribute('the master password') },
  arguments: {
    ManageMasterUserPassword: 'manage_master_user_password',
  },
  from: {
    cloudformation: ({ properties }: RawResource) => ({
      'master_password.source': masterPasswordSource(
        secretSource(field(properties, 'MasterUserPassword')),
        field(properties, 'ManageMasterUserPassword'),
      ),
    }),
    // Nobody reads a password in what exists.
    'aws-config': () => ({}),
    terraform: (raw) => ({
      'master_password.source': masterPasswordSource(
        plannedSecretSource(raw, 'master_password'),
        planned(raw.properties, 'manage_master_user_password'),
      ),
    }),
  },
});
