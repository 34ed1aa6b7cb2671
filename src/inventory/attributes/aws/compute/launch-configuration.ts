import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { flag } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';
import { metadataService, metadataServiceAttributes } from './metadata-service.ts';

const fromApi = ({ properties }: RawResource) => ({
  public_ip_on_launch: flag(field(properties, 'AssociatePublicIpAddress')),
  ...metadataService(
    field(properties, 'MetadataOptions', 'HttpEndpoint'),
    field(properties, 'MetadataOptions', 'HttpTokens'),
  ),
});

export const launchConfiguration = normaliser({
  types: ['AWS::AutoScaling::LaunchConfiguration'],
  source: 'Amazon EC2 Auto Scaling API Reference, API version 2011-01-01',
  attributes: {
    public_ip_on_launch: {
      type: 'bool',
      meaning:
        'instances get a public IPv4 address; left out, it is the subnet that decides, and a default subnet gives one: true',
      absent: true,
    },
    ...metadataServiceAttributes,
  },
  from: {
    cloudformation: fromApi,
    'aws-config': fromApi,
    terraform: ({ properties }) => ({
      public_ip_on_launch: flag(planned(properties, 'associate_public_ip_address')),
      ...metadataService(
        planned(properties, 'metadata_options', 'http_endpoint'),
        planned(properties, 'metadata_options', 'http_tokens'),
      ),
    }),
  },
});
