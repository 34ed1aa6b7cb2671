import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { isUnknown, list, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

const protocolsOf = (value: unknown): unknown => {
  const given = list(value ?? ['SFTP']);
  if (isUnknown(given)) return given;
  return given.map((one) => {
    const word = text(one);
    return isUnknown(word) ? word : word?.toUpperCase();
  });
};

const ofDocument = ({ properties }: RawResource) => ({
  protocols: protocolsOf(field(properties, 'Protocols')),
});

export const transferServer = normaliser({
  types: ['AWS::Transfer::Server'],
  source: 'AWS Transfer Family API Reference, API version 2018-11-05',
  attributes: {
    protocols: {
      type: 'list<string>',
      spelling: 'upper',
      meaning: 'protocols of the server: `SFTP`, `FTPS`, `FTP` (not encrypted) or `AS2`',
      absent: ['SFTP'],
    },
  },
  arguments: { Protocols: 'protocols' },
  from: {
    cloudformation: ofDocument,
    'aws-config': ofDocument,
    terraform: ({ properties }) => ({ protocols: protocolsOf(planned(properties, 'protocols')) }),
  },
});
