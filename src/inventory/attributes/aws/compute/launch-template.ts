import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { isUnknown } from '../../values.ts';
import { field } from '../api-field.ts';
import { notRecorded } from '../config-item.ts';
import { secretsIn, userDataAttribute } from '../../user-data.ts';
import { configured, planned, plannedBlock } from '../plan-value.ts';
import { metadataService, metadataServiceAttributes } from './metadata-service.ts';
import { addressOfGroups, asksForAddress } from './public-address.ts';
import { mappedVolumes, plannedVolumes, volumeAttributes } from './volumes.ts';

/** The templates that a group starts instances by. */
const templatesOf = ({ properties }: RawResource): unknown[] =>
  [
    field(properties, 'LaunchTemplate'),
    field(properties, 'MixedInstancesPolicy', 'LaunchTemplate', 'LaunchTemplateSpecification'),
    plannedBlock(properties, 'launch_template'),
    plannedBlock(
      properties,
      'mixed_instances_policy',
      'launch_template',
      'launch_template_specification',
    ),
  ].flatMap((one) => [
    field(one, 'LaunchTemplateId') ?? planned(one, 'launch_template_id') ?? planned(one, 'id'),
    field(one, 'LaunchTemplateName') ??
      planned(one, 'launch_template_name') ??
      planned(one, 'name'),
  ]);

/** Subnets elsewhere are most often private ones, and parameters. */
function addressOfKnown(raw: RawResource, related: Related): boolean | undefined {
  const given = addressOfGroups(raw, related, templatesOf);
  return isUnknown(given) ? undefined : given;
}

const userDataOf = ({ properties }: RawResource): unknown =>
  field(properties, 'LaunchTemplateData', 'UserData');

const fromApi = (raw: RawResource, related: Related) => {
  const { properties } = raw;
  const options = field(properties, 'LaunchTemplateData', 'MetadataOptions');
  return {
    ...metadataService(field(options, 'HttpEndpoint'), field(options, 'HttpTokens')),
    'user_data.secrets': secretsIn(userDataOf(raw)),
    public_access:
      asksForAddress(field(properties, 'LaunchTemplateData', 'NetworkInterfaces'), (one) =>
        field(one, 'AssociatePublicIpAddress'),
      ) ?? addressOfKnown(raw, related),
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
      meaning:
        'instances get a public IPv4 address; if not set, the subnets of the Auto Scaling groups in the same input decide, and subnets that are not in it count as private',
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
      public_access:
        asksForAddress(configured(raw.properties, 'network_interfaces'), (one) =>
          planned(one, 'associate_public_ip_address'),
        ) ?? addressOfKnown(raw, related),
      ...plannedVolumes(undefined, raw.properties, raw, related),
    }),
  },
});
