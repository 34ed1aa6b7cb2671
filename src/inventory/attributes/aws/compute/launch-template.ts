import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';
import { metadataService, metadataServiceAttributes } from './metadata-service.ts';

const fromApi = ({ properties }: RawResource) => {
  const options = field(properties, 'LaunchTemplateData', 'MetadataOptions');
  return metadataService(field(options, 'HttpEndpoint'), field(options, 'HttpTokens'));
};

export const launchTemplate = normaliser({
  types: ['AWS::EC2::LaunchTemplate'],
  source: 'Amazon EC2 API Reference, API version 2016-11-15',
  attributes: metadataServiceAttributes,
  from: {
    cloudformation: fromApi,
    'aws-config': fromApi,
    terraform: ({ properties }) =>
      metadataService(
        planned(properties, 'metadata_options', 'http_endpoint'),
        planned(properties, 'metadata_options', 'http_tokens'),
      ),
  },
});
