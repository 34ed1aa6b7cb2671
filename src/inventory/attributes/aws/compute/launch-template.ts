import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at, flag, some } from '../../values.ts';
import { field } from '../api-field.ts';
import { notRecorded } from '../config-item.ts';
import { secretsIn, userDataAttribute } from '../../user-data.ts';
import { planned } from '../plan-value.ts';
import { metadataService, metadataServiceAttributes } from './metadata-service.ts';
import { mappedVolumes, plannedVolumes, volumeAttributes } from './volumes.ts';

const userDataOf = ({ properties }: RawResource): unknown =>
  field(properties, 'LaunchTemplateData', 'UserData');

const fromApi = (raw: RawResource, related: Related) => {
  const { properties } = raw;
  const options = field(properties, 'LaunchTemplateData', 'MetadataOptions');
  return {
    ...metadataService(field(options, 'HttpEndpoint'), field(options, 'HttpTokens')),
    'user_data.secrets': secretsIn(userDataOf(raw)),
    public_access: some(field(properties, 'LaunchTemplateData', 'NetworkInterfaces'), (one) =>
      flag(field(one, 'AssociatePublicIpAddress')),
    ),
    ...mappedVolumes(
      field(properties, 'LaunchTemplateData', 'BlockDeviceMappings'),
      undefined,
      raw,
      related,
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
    ...volumeAttributes,
  },
  arguments: {
    BlockDeviceMappings: 'block_device_mappings',
    AssociatePublicIpAddress: 'network_interfaces.associate_public_ip_address',
    Encrypted: 'block_device_mappings.ebs.encrypted',
    HttpTokens: 'metadata_options.http_tokens',
  },
  from: {
    cloudformation: fromApi,
    'aws-config': (raw, related) => ({
      ...fromApi(raw, related),
      ...(userDataOf(raw) === undefined ? { 'user_data.secrets': notRecorded('user data') } : {}),
    }),
    terraform: (raw, related) => ({
      ...metadataService(
        planned(raw.properties, 'metadata_options', 'http_endpoint'),
        planned(raw.properties, 'metadata_options', 'http_tokens'),
      ),
      'user_data.secrets': secretsIn(planned(raw.properties, 'user_data')),
      public_access: some(at(raw.properties, 'network_interfaces'), (one) =>
        flag(planned(one, 'associate_public_ip_address')),
      ),
      ...plannedVolumes(undefined, raw.properties, raw, related),
    }),
  },
});
