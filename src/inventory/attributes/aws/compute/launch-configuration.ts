import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { flag } from '../../values.ts';
import { field } from '../api-field.ts';
import { secretsIn, userDataAttribute } from '../../user-data.ts';
import { planned } from '../plan-value.ts';
import { metadataService, metadataServiceAttributes } from './metadata-service.ts';
import { addressOfGroups } from './public-address.ts';
import { mappedVolumes, plannedVolumes, volumeAttributes } from './volumes.ts';

const groupOf = ({ properties }: RawResource): unknown =>
  field(properties, 'LaunchConfigurationName') ?? properties.launch_configuration;

const fromApi = (raw: RawResource, related: Related) => ({
  'user_data.secrets': secretsIn(field(raw.properties, 'UserData')),
  public_ip_on_launch:
    flag(field(raw.properties, 'AssociatePublicIpAddress')) ??
    addressOfGroups(raw, related, groupOf),
  ...metadataService(
    field(raw.properties, 'MetadataOptions', 'HttpEndpoint'),
    field(raw.properties, 'MetadataOptions', 'HttpTokens'),
  ),
  ...mappedVolumes(field(raw.properties, 'BlockDeviceMappings'), undefined, raw, related),
});

export const launchConfiguration = normaliser({
  types: ['AWS::AutoScaling::LaunchConfiguration'],
  source: 'Amazon EC2 Auto Scaling API Reference, API version 2011-01-01',
  attributes: {
    public_ip_on_launch: {
      type: 'bool',
      meaning:
        'instances get a public IPv4 address; if not set, the subnets of the Auto Scaling groups in the same input decide, and default subnets assign an address',
      absent: true,
    },
    ...metadataServiceAttributes,
    ...userDataAttribute,
    ...volumeAttributes,
  },
  arguments: {
    AssociatePublicIpAddress: 'associate_public_ip_address',
    BlockDeviceMappings: 'root_block_device',
    Encrypted: 'encrypted',
    HttpTokens: 'metadata_options.http_tokens',
  },
  from: {
    cloudformation: fromApi,
    'aws-config': fromApi,
    terraform: (raw, related) => ({
      'user_data.secrets': secretsIn(
        planned(raw.properties, 'user_data') ?? planned(raw.properties, 'user_data_base64'),
      ),
      public_ip_on_launch:
        flag(planned(raw.properties, 'associate_public_ip_address')) ??
        addressOfGroups(raw, related, groupOf),
      ...metadataService(
        planned(raw.properties, 'metadata_options', 'http_endpoint'),
        planned(raw.properties, 'metadata_options', 'http_tokens'),
      ),
      ...plannedVolumes(raw.properties, undefined, raw, related),
    }),
  },
});
