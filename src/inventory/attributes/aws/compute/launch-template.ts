import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { at, flag, some } from '../../values.ts';
import { field } from '../api-field.ts';
import { secretsIn, userDataAttribute } from '../../user-data.ts';
import { planned } from '../plan-value.ts';
import { metadataService, metadataServiceAttributes } from './metadata-service.ts';

const fromApi = ({ properties }: RawResource) => {
  const options = field(properties, 'LaunchTemplateData', 'MetadataOptions');
  return {
    ...metadataService(field(options, 'HttpEndpoint'), field(options, 'HttpTokens')),
    'user_data.secrets': secretsIn(field(properties, 'LaunchTemplateData', 'UserData')),
    public_access: some(field(properties, 'LaunchTemplateData', 'NetworkInterfaces'), (one) =>
      flag(field(one, 'AssociatePublicIpAddress')),
    ),
  };
};

export const launchTemplate = normaliser({
  types: ['AWS::EC2::LaunchTemplate'],
  source: 'Amazon EC2 API Reference, API version 2016-11-15',
  attributes: {
    ...metadataServiceAttributes,
    ...userDataAttribute,
    public_access: {
      type: 'bool',
      meaning: 'a network interface requests a public IPv4 address; if not set, the subnet decides',
      absent: false,
    },
  },
  arguments: {
    AssociatePublicIpAddress: 'network_interfaces.associate_public_ip_address',
    HttpTokens: 'metadata_options.http_tokens',
  },
  from: {
    cloudformation: fromApi,
    'aws-config': fromApi,
    terraform: ({ properties }) => ({
      ...metadataService(
        planned(properties, 'metadata_options', 'http_endpoint'),
        planned(properties, 'metadata_options', 'http_tokens'),
      ),
      'user_data.secrets': secretsIn(planned(properties, 'user_data')),
      public_access: some(at(properties, 'network_interfaces'), (one) =>
        flag(planned(one, 'associate_public_ip_address')),
      ),
    }),
  },
});
