import { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import { joinedAttribute } from '../../joined.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at, flag, isGiven, isOneOf, or, some, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { notRecorded } from '../config-item.ts';
import { itemPolicies, planPolicies, role, templatePolicies } from '../identity/iam-holder.ts';
import { planned } from '../plan-value.ts';
import { addressOfSubnet } from '../network/subnet.ts';
import { instanceRoleAttributes, roleOfProfile } from './instance-role.ts';
import { metadataService, metadataServiceAttributes } from './metadata-service.ts';
import { asksForAddress } from './public-address.ts';
import { attachedVolumes, mappedVolumes, plannedVolumes, volumeAttributes } from './volumes.ts';
import { secretsIn, userDataAttribute } from '../../user-data.ts';

const addressTypes = ['AWS::EC2::EIP', 'AWS::EC2::EIPAssociation'];

export const ec2Instance = normaliser({
  types: ['AWS::EC2::Instance'],
  source: 'Amazon EC2 API Reference, API version 2016-11-15',
  attributes: {
    instance_type: {
      type: 'string',
      meaning: 'instance type, such as `m7g.large`',
      spelling: 'lower',
    },
    public_access: {
      type: 'bool',
      meaning: 'the instance has or requests a public IPv4 address; by default, the subnet decides',
      absent: false,
      source:
        'Amazon VPC User Guide, IP addressing for your VPCs and subnets, API version 2016-11-15: default subnets assign public addresses; other subnets do so only if configured',
    },
    ...metadataServiceAttributes,
    ...userDataAttribute,
    subnet_id: { type: 'string', meaning: "the subnet of the instance's first network interface" },
    iam_instance_profile: { type: 'string', meaning: 'name or ARN of the instance profile' },
    ...instanceRoleAttributes,
    ebs_optimized: {
      type: 'bool',
      meaning: 'the instance is EBS-optimized; always true for newer instance types',
      absent: false,
    },
    detailed_monitoring: {
      type: 'bool',
      meaning: 'metrics are published every minute instead of every five minutes',
      absent: false,
    },
    ...volumeAttributes,
  },
  arguments: {
    BlockDeviceMappings: 'root_block_device',
    EbsOptimized: 'ebs_optimized',
    Encrypted: 'encrypted',
    HttpTokens: 'metadata_options.http_tokens',
    IamInstanceProfile: 'iam_instance_profile',
    Monitoring: 'monitoring',
    SubnetId: 'subnet_id',
  },
  from: {
    cloudformation: (raw, related) => {
      const template = launchTemplate(
        field(raw.properties, 'LaunchTemplate', 'LaunchTemplateId') ??
          field(raw.properties, 'LaunchTemplate', 'LaunchTemplateName'),
        related,
      );
      const data = at(template, 'LaunchTemplateData');
      const given = (...names: string[]): unknown =>
        at(raw.properties, ...names) ?? at(data, ...names);
      const interfaces = given('NetworkInterfaces');
      const subnet =
        given('SubnetId') ??
        at(interfaces, 0, 'SubnetId') ??
        subnetOfInterface(at(interfaces, 0, 'NetworkInterfaceId'), related);
      const profile =
        at(raw.properties, 'IamInstanceProfile') ??
        at(data, 'IamInstanceProfile', 'Arn') ??
        at(data, 'IamInstanceProfile', 'Name');
      return {
        'user_data.secrets': secretsIn(field(raw.properties, 'UserData')),
        instance_type: text(given('InstanceType')),
        public_access: or(
          asksForAddress(interfaces, (one) => at(one, 'AssociatePublicIpAddress')) ??
            addressOfSubnet(subnet, related),
          hasElasticAddress(raw, related),
        ),
        ...metadataService(
          given('MetadataOptions', 'HttpEndpoint'),
          given('MetadataOptions', 'HttpTokens'),
        ),
        subnet_id: subnet,
        iam_instance_profile: profile,
        ...roleOfProfile(profile, related, (one) => templatePolicies(one, role, related)),
        ebs_optimized: flag(given('EbsOptimized')),
        detailed_monitoring: flag(
          at(raw.properties, 'Monitoring') ?? at(data, 'Monitoring', 'Enabled'),
        ),
        ...mappedVolumes(
          at(raw.properties, 'BlockDeviceMappings'),
          at(data, 'BlockDeviceMappings'),
          raw,
          related,
        ),
      };
    },
    terraform: (raw, related) => {
      const own = (...names: string[]): unknown => planned(raw.properties, ...names);
      const template = launchTemplate(
        own('launch_template', 'id') ?? own('launch_template', 'name'),
        related,
      );
      const given = (...names: string[]): unknown => own(...names) ?? planned(template, ...names);
      const subnet =
        own('subnet_id') ??
        planned(template, 'network_interfaces', 'subnet_id') ??
        subnetOfInterface(
          own('primary_network_interface', 'network_interface_id') ??
            own('network_interface', 'network_interface_id'),
          related,
        );
      const profile =
        own('iam_instance_profile') ??
        planned(template, 'iam_instance_profile', 'arn') ??
        planned(template, 'iam_instance_profile', 'name');
      return {
        'user_data.secrets': secretsIn(own('user_data') ?? own('user_data_base64')),
        instance_type: text(given('instance_type')),
        public_access: or(
          flag(
            own('associate_public_ip_address') ??
              planned(template, 'network_interfaces', 'associate_public_ip_address'),
          ) ?? addressOfSubnet(subnet, related),
          hasElasticAddress(raw, related),
        ),
        ...metadataService(
          given('metadata_options', 'http_endpoint'),
          given('metadata_options', 'http_tokens'),
        ),
        subnet_id: subnet,
        iam_instance_profile: profile,
        ...roleOfProfile(profile, related, (one) => planPolicies(one, role, related)),
        ebs_optimized: flag(given('ebs_optimized')),
        detailed_monitoring: flag(own('monitoring') ?? planned(template, 'monitoring', 'enabled')),
        ...plannedVolumes(raw.properties, template, raw, related),
      };
    },
    'aws-config': (raw, related) => ({
      'user_data.secrets': notRecorded('user data'),
      instance_type: text(at(raw.properties, 'instanceType')),
      public_access: or(
        isGiven(at(raw.properties, 'publicIpAddress')),
        some(at(raw.properties, 'networkInterfaces'), (one) =>
          isGiven(at(one, 'association', 'publicIp')),
        ),
      ),
      ...metadataService(
        at(raw.properties, 'metadataOptions', 'httpEndpoint'),
        at(raw.properties, 'metadataOptions', 'httpTokens'),
      ),
      subnet_id: at(raw.properties, 'subnetId'),
      iam_instance_profile: at(raw.properties, 'iamInstanceProfile', 'arn'),
      ...roleOfProfile(at(raw.properties, 'iamInstanceProfile', 'arn'), related, (one) =>
        itemPolicies(one, role),
      ),
      ebs_optimized: flag(at(raw.properties, 'ebsOptimized')),
      detailed_monitoring: isOneOf(at(raw.properties, 'monitoring', 'state'), 'enabled', 'pending'),
      ...attachedVolumes(raw, related),
    }),
  },
});

/** Settings that the instance leaves to its launch template; not known where the template is not in the same input. */
function launchTemplate(name: unknown, related: Related): unknown {
  if (name === undefined) return undefined;
  return (
    related.find(name, 'AWS::EC2::LaunchTemplate')?.properties ??
    new UnknownValue('a launch template, which is not in this input', { present: false })
  );
}

/** An interface that exists already is in a subnet, if not in one of this input. */
function subnetOfInterface(id: unknown, related: Related): unknown {
  if (id === undefined) return undefined;
  const properties = related.find(id, 'AWS::EC2::NetworkInterface')?.properties;
  return (
    at(properties, 'SubnetId') ??
    at(properties, 'subnet_id') ??
    new UnknownValue('the subnet of a network interface')
  );
}

/** An elastic address that is given to an instance: by itself, or by a resource beside it. */
export const elasticAddress = normaliser({
  types: addressTypes,
  source: 'Amazon EC2 API Reference, API version 2016-11-15',
  attributes: {
    attached_to_instance: {
      type: 'bool',
      meaning:
        'the Elastic IP address is associated with an instance, which makes the instance public; associations with network interfaces do not count',
      absent: false,
    },
    ...joinedAttribute('the instance', 'AWS::EC2::Instance'),
  },
  from: {
    cloudformation: (raw, related) => ({
      attached_to_instance: isGiven(at(raw.properties, 'InstanceId')),
      joined: isOfInstance(raw, related),
    }),
    terraform: (raw, related) => ({
      attached_to_instance: isGiven(
        planned(raw.properties, 'instance') ?? planned(raw.properties, 'instance_id'),
      ),
      joined: isOfInstance(raw, related),
    }),
    'aws-config': ({ properties }, related) => {
      const instance = field(properties, 'InstanceId');
      return {
        attached_to_instance: isGiven(instance),
        joined: related.find(instance, 'AWS::EC2::Instance') !== undefined,
      };
    },
  },
});

const instanceOfAddress = ({ properties }: RawResource): unknown =>
  properties.InstanceId ?? properties.instance_id ?? properties.instance;

const isOfInstance = (raw: RawResource, related: Related): boolean =>
  related.find(instanceOfAddress(raw), 'AWS::EC2::Instance') !== undefined;

const hasElasticAddress = (raw: RawResource, related: Related): boolean =>
  addressTypes.some((type) => related.referring(raw, type, instanceOfAddress).length > 0);
