import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { isGiven, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

const ofDocument = ({ properties }: RawResource) => ({
  root_directory: text(field(properties, 'RootDirectory', 'Path')),
  'posix_user.set': isGiven(field(properties, 'PosixUser')),
});

export const efsAccessPoint = normaliser({
  types: ['AWS::EFS::AccessPoint'],
  source: 'Amazon EFS API Reference, API version 2015-02-01',
  attributes: {
    root_directory: {
      type: 'string',
      meaning: 'the directory that clients see as their root',
      absent: '/',
    },
    'posix_user.set': {
      type: 'bool',
      meaning: 'all clients act as one POSIX user, regardless of their own user',
      absent: false,
    },
  },
  arguments: { PosixUser: 'posix_user', 'RootDirectory.Path': 'root_directory.path' },
  from: {
    cloudformation: ofDocument,
    'aws-config': ofDocument,
    terraform: ({ properties }) => ({
      root_directory: text(planned(properties, 'root_directory', 'path')),
      'posix_user.set': isGiven(planned(properties, 'posix_user')),
    }),
  },
});
