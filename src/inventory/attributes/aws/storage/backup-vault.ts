import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { notRecorded } from '../config-item.ts';
import { field } from '../api-field.ts';
import { readAllStatements, requiredDocument } from '../policy-document.ts';
import { allParts } from '../../related.ts';

export const backupVault = normaliser({
  types: ['AWS::Backup::BackupVault'],
  source: 'AWS Backup API Reference, API version 2018-11-15',
  attributes: {
    'policy.statements': { type: 'list<Statement>', meaning: 'the access policy', absent: [] },
  },
  arguments: { AccessPolicy: 'policy of aws_backup_vault_policy' },
  from: {
    cloudformation: ({ properties }) => ({
      'policy.statements': readAllStatements([field(properties, 'AccessPolicy')]),
    }),
    terraform: (raw, related) => ({
      'policy.statements': readAllStatements(
        allParts(related, raw, 'AWS::Backup::BackupVaultPolicy', vaultOfPolicy).map(
          ({ properties }) => requiredDocument(properties.policy),
        ),
      ),
    }),
    'aws-config': ({ properties }) => ({
      'policy.statements': readAllStatements([
        field(properties, 'AccessPolicy') ?? notRecorded('the access policy'),
      ]),
    }),
  },
});

const vaultOfPolicy = ({ properties }: RawResource): unknown => properties.backup_vault_name;
