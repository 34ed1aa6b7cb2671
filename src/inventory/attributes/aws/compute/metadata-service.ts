import { eitherWord, text } from '../../values.ts';

/** What instances and what starts them have in common: how the metadata service answers. */
export const metadataServiceAttributes = {
  'metadata_service.enabled': {
    type: 'bool',
    meaning: 'the metadata endpoint is enabled',
    absent: true,
  },
  'metadata_service.http_tokens': {
    type: 'string',
    meaning: '`required` (IMDSv2) or `optional`',
    spelling: ['required', 'optional'],
    absent: 'optional',
    source:
      'Amazon EC2 User Guide, Use the Instance Metadata Service, API version 2016-11-15: optional, unless the AMI or the account requires IMDSv2, which no input shows',
  },
} as const;

export const metadataService = (endpoint: unknown, tokens: unknown) => ({
  'metadata_service.enabled': eitherWord(endpoint, ['enabled'], ['disabled']),
  'metadata_service.http_tokens': text(tokens),
});
