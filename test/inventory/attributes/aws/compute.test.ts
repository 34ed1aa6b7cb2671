import { describe, expect, test } from 'vitest';
import { Reference, attributesOfItem, attributesOfPlan, attributesOfTemplate } from './twins.ts';
import type { Twins } from './twins.ts';

const unknownRole = { policy: { statements: 'not known' }, managed_policy_arns: 'not known' };

const twins: Record<string, Twins & { readonly expected: Record<string, unknown> }> = {
  'an instance': {
    template: {
      It: [
        'AWS::EC2::Instance',
        {
          InstanceType: 'm7g.large',
          SubnetId: { Ref: 'Subnet' },
          IamInstanceProfile: 'web',
          EbsOptimized: 'true',
          Monitoring: true,
          MetadataOptions: { HttpEndpoint: 'enabled', HttpTokens: 'required' },
          BlockDeviceMappings: [
            { DeviceName: '/dev/sdf', Ebs: { Encrypted: true } },
            { DeviceName: '/dev/sdg', Ebs: { VolumeSize: 8 } },
          ],
        },
      ],
      Subnet: ['AWS::EC2::Subnet', { MapPublicIpOnLaunch: true }],
    },
    plan: {
      'aws_instance.it': {
        instance_type: 'm7g.large',
        subnet_id: new Reference('aws_subnet.main.id'),
        iam_instance_profile: 'web',
        ebs_optimized: true,
        monitoring: true,
        metadata_options: [{ http_endpoint: 'enabled', http_tokens: 'required' }],
        ebs_block_device: [
          { device_name: '/dev/sdf', encrypted: true },
          { device_name: '/dev/sdg', volume_size: 8 },
        ],
      },
      'aws_subnet.main': { map_public_ip_on_launch: true },
    },
    expected: {
      instance_type: 'm7g.large',
      subnet_id: 'not known',
      public_access: true,
      iam_instance_profile: 'web',
      role: unknownRole,
      ebs_optimized: true,
      detailed_monitoring: true,
      metadata_service: { enabled: true, http_tokens: 'required' },
      volumes: [
        { device: '/dev/sdf', encryption: { enabled: true } },
        { device: '/dev/sdg', encryption: { enabled: false } },
      ],
    },
  },
  'an instance that leaves its settings to a launch template': {
    template: {
      It: ['AWS::EC2::Instance', { LaunchTemplate: { LaunchTemplateId: { Ref: 'Template' } } }],
      Template: [
        'AWS::EC2::LaunchTemplate',
        {
          LaunchTemplateData: {
            InstanceType: 'm7g.large',
            EbsOptimized: true,
            Monitoring: { Enabled: true },
            IamInstanceProfile: { Name: 'web' },
            MetadataOptions: { HttpTokens: 'required' },
            NetworkInterfaces: [{ AssociatePublicIpAddress: true }],
            BlockDeviceMappings: [{ DeviceName: '/dev/sdf', Ebs: { Encrypted: true } }],
          },
        },
      ],
    },
    plan: {
      'aws_instance.it': {
        launch_template: [{ id: new Reference('aws_launch_template.main.id') }],
      },
      'aws_launch_template.main': {
        instance_type: 'm7g.large',
        ebs_optimized: 'true',
        monitoring: [{ enabled: true }],
        iam_instance_profile: [{ name: 'web' }],
        metadata_options: [{ http_tokens: 'required' }],
        network_interfaces: [{ associate_public_ip_address: 'true' }],
        block_device_mappings: [{ device_name: '/dev/sdf', ebs: [{ encrypted: 'true' }] }],
      },
    },
    expected: {
      instance_type: 'm7g.large',
      public_access: true,
      iam_instance_profile: 'web',
      metadata_service: { http_tokens: 'required' },
      volumes: [{ device: '/dev/sdf', encryption: { enabled: true } }],
    },
  },
  'an instance with an elastic address': {
    template: {
      It: ['AWS::EC2::Instance', { SubnetId: 'subnet-1' }],
      Address: ['AWS::EC2::EIP', { InstanceId: { Ref: 'It' } }],
    },
    plan: {
      'aws_instance.it': { subnet_id: 'subnet-1' },
      'aws_eip.address': { instance: new Reference('aws_instance.it.id') },
    },
    expected: { public_access: true, subnet_id: 'subnet-1' },
  },
  'an instance on an interface that exists already': {
    template: {
      It: [
        'AWS::EC2::Instance',
        { NetworkInterfaces: [{ DeviceIndex: '0', NetworkInterfaceId: 'eni-1' }] },
      ],
    },
    plan: {
      'aws_instance.it': { primary_network_interface: [{ network_interface_id: 'eni-1' }] },
    },
    expected: { subnet_id: 'not known', public_access: 'not known' },
  },
  'a launch template': {
    template: {
      It: [
        'AWS::EC2::LaunchTemplate',
        { LaunchTemplateData: { MetadataOptions: { HttpEndpoint: 'disabled' } } },
      ],
    },
    plan: { 'aws_launch_template.it': { metadata_options: [{ http_endpoint: 'disabled' }] } },
    expected: { metadata_service: { enabled: false, http_tokens: 'optional' } },
  },
  'a launch configuration of which nothing is said': {
    template: { It: ['AWS::AutoScaling::LaunchConfiguration', {}] },
    plan: { 'aws_launch_configuration.it': {} },
    expected: {
      public_ip_on_launch: true,
      metadata_service: { enabled: true, http_tokens: 'optional' },
    },
  },
  'an auto scaling group behind target groups': {
    template: {
      It: [
        'AWS::AutoScaling::AutoScalingGroup',
        { TargetGroupARNs: [{ Ref: 'Targets' }], HealthCheckType: 'EBS, ELB' },
      ],
      Targets: ['AWS::ElasticLoadBalancingV2::TargetGroup', {}],
    },
    plan: {
      'aws_autoscaling_group.it': { health_check_type: 'EBS,ELB' },
      'aws_autoscaling_attachment.it': {
        autoscaling_group_name: new Reference('aws_autoscaling_group.it.name'),
      },
    },
    expected: { load_balanced: true, health_check_types: ['EBS', 'ELB'] },
  },
  'an auto scaling group of which nothing is said': {
    template: { It: ['AWS::AutoScaling::AutoScalingGroup', { LoadBalancerNames: [] }] },
    plan: { 'aws_autoscaling_group.it': {} },
    expected: { load_balanced: false, health_check_types: ['EC2'] },
  },
};

describe('the same attributes come from a template and from a plan of', () => {
  test.each(Object.entries(twins))('%s', (_title, { template, plan, expected }) => {
    const attributes = attributesOfTemplate(template);
    expect(attributes).toMatchObject(expected);
    expect(attributesOfPlan(plan)).toEqual(attributes);
  });
});

describe('of an instance', () => {
  test('what it leaves to a launch template that is elsewhere is not known', () => {
    const launch = { LaunchTemplate: { LaunchTemplateId: 'lt-1', Version: '1' } };
    expect(attributesOfTemplate({ It: ['AWS::EC2::Instance', launch] })).toMatchObject({
      metadata_service: { enabled: 'not known', http_tokens: 'not known' },
      public_access: 'not known',
      volumes: 'not known',
    });
  });

  test('an interface that refuses an address counts more than a subnet that gives them', () => {
    const attributes = attributesOfTemplate({
      It: [
        'AWS::EC2::Instance',
        { NetworkInterfaces: [{ SubnetId: { Ref: 'Subnet' }, AssociatePublicIpAddress: false }] },
      ],
      Subnet: ['AWS::EC2::Subnet', { MapPublicIpOnLaunch: true }],
    });
    expect(attributes).toHaveProperty('public_access', false);
  });

  test('an item of AWS Config finds its volumes among the other items', () => {
    const attributes = attributesOfItem(
      [
        'AWS::EC2::Instance',
        {
          instanceType: 't2.medium',
          subnetId: 'subnet-1',
          publicIpAddress: '203.0.113.7',
          iamInstanceProfile: { arn: 'arn:aws:iam::123456789012:instance-profile/web', id: 'A1' },
          ebsOptimized: false,
          monitoring: { state: 'enabled' },
          metadataOptions: { httpEndpoint: 'enabled', httpTokens: 'required' },
          blockDeviceMappings: [
            { deviceName: '/dev/sda1', ebs: { volumeId: 'item-1' } },
            { deviceName: '/dev/sdf', ebs: { volumeId: 'vol-elsewhere' } },
          ],
        },
      ],
      ['AWS::EC2::Volume', { encrypted: true }],
    );
    expect(attributes).toEqual({
      instance_type: 't2.medium',
      root_volume: { mapped: true, encryption: { enabled: true } },
      subnet_id: 'subnet-1',
      public_access: true,
      iam_instance_profile: 'arn:aws:iam::123456789012:instance-profile/web',
      role: unknownRole,
      user_data: { secrets: 'not known' },
      ebs_optimized: false,
      detailed_monitoring: true,
      metadata_service: { enabled: true, http_tokens: 'required' },
      volumes: [
        { device: '/dev/sda1', encryption: { enabled: true } },
        { device: '/dev/sdf', encryption: { enabled: 'not known' } },
      ],
    });
  });
});

describe('whether instances of a launch template get public addresses', () => {
  const open = (group: Readonly<Record<string, unknown>>, data: object = {}) =>
    attributesOfTemplate({
      It: ['AWS::EC2::LaunchTemplate', { LaunchTemplateData: data }],
      Group: ['AWS::AutoScaling::AutoScalingGroup', group],
      Private: ['AWS::EC2::Subnet', { MapPublicIpOnLaunch: false }],
      Public: ['AWS::EC2::Subnet', { MapPublicIpOnLaunch: true }],
    })['public_access'];
  const one = { LaunchTemplate: { LaunchTemplateId: { Ref: 'It' }, Version: '1' } };
  const mixed = {
    MixedInstancesPolicy: {
      LaunchTemplate: {
        LaunchTemplateSpecification: { LaunchTemplateId: { Ref: 'It' }, Version: '1' },
      },
    },
  };

  test.each([
    ['of the template', one],
    ['of several types', mixed],
  ])('is what the subnets of a group give that starts them, %s', (_title, by) => {
    expect(open({ ...by, AvailabilityZones: ['eu-west-1a'] })).toBe(true);
    expect(open({ ...by, VPCZoneIdentifier: [{ Ref: 'Private' }] })).toBe(false);
    expect(open({ ...by, VPCZoneIdentifier: [{ Ref: 'Private' }, { Ref: 'Public' }] })).toBe(true);
    expect(open({ ...by, VPCZoneIdentifier: ['subnet-elsewhere'] })).toBe(false);
  });

  test('is what a network interface of the template says, whatever the subnets give', () => {
    const NetworkInterfaces = [{ DeviceIndex: 0, AssociatePublicIpAddress: false }];
    expect(open({ ...one, AvailabilityZones: ['eu-west-1a'] }, { NetworkInterfaces })).toBe(false);
  });

  test('is not so by a group that starts others', () => {
    const other = { LaunchTemplate: { LaunchTemplateId: 'lt-elsewhere', Version: '1' } };
    expect(open({ ...other, AvailabilityZones: ['eu-west-1a'] })).toBe(false);
  });

  test('is the same in a plan', () => {
    const attributes = attributesOfPlan({
      'aws_launch_template.it': { name: 'it' },
      'aws_autoscaling_group.group': {
        launch_template: [{ id: new Reference('aws_launch_template.it.id'), version: '1' }],
        vpc_zone_identifier: [new Reference('aws_subnet.public.id')],
      },
      'aws_subnet.public': { map_public_ip_on_launch: true },
    });
    expect(attributes).toHaveProperty('public_access', true);
  });
});

describe('the volumes of an instance', () => {
  const mapping = (DeviceName: unknown, Encrypted?: unknown) => ({
    DeviceName,
    Ebs: { Encrypted },
  });
  const given = (own: unknown, template?: unknown) =>
    attributesOfTemplate({
      It: [
        'AWS::EC2::Instance',
        {
          BlockDeviceMappings: own,
          ...(template === undefined
            ? {}
            : { LaunchTemplate: { LaunchTemplateId: { Ref: 'Template' }, Version: '1' } }),
        },
      ],
      Template: ['AWS::EC2::LaunchTemplate', { LaunchTemplateData: { BlockDeviceMappings: template } }], // prettier-ignore
    });
  const root = (mapped: unknown, enabled: unknown) => ({ mapped, encryption: { enabled } });
  const volume = (device: string, enabled: unknown) => ({ device, encryption: { enabled } });

  test('have a root volume by either usual name of its device', () => {
    expect(given([mapping('/dev/xvda', true)])['root_volume']).toEqual(root(true, true));
    expect(given([mapping('/dev/sda1', true)])['root_volume']).toEqual(root(true, true));
    expect(given([mapping('/dev/sda1', false)])['root_volume']).toEqual(root(true, false));
    expect(given([mapping('/dev/xvda', { Ref: 'Encrypt' })])['root_volume']).toEqual(
      root(true, 'not known'),
    );
  });

  test('have no mapped root volume by another device', () => {
    expect(given([mapping('/dev/sdf', true)])['root_volume']).toEqual(root(false, false));
  });

  test('may have one where a device or the mappings are not known', () => {
    const unknown = root('not known', 'not known');
    expect(given([mapping({ Ref: 'Device' }, true)])['root_volume']).toEqual(unknown);
    expect(given({ Ref: 'Mappings' })['root_volume']).toEqual(unknown);
  });

  test('are those of its launch template too, but for devices that it maps itself', () => {
    expect(given([mapping('/dev/sdf', true)], [mapping('/dev/xvda', false)])).toMatchObject({
      volumes: [volume('/dev/sdf', true), volume('/dev/xvda', false)],
      root_volume: root(true, false),
    });
    expect(given([mapping('/dev/xvda', true)], [mapping('/dev/xvda', false)])).toMatchObject({
      volumes: [volume('/dev/xvda', true)],
      root_volume: root(true, true),
    });
    const taken = [{ DeviceName: '/dev/sdf', NoDevice: '' }];
    expect(given(taken, [mapping('/dev/sdf', false)])).toMatchObject({ volumes: [] });
  });

  test('are the same in a plan, where the root volume is a block without a device', () => {
    const attributes = attributesOfPlan({
      'aws_instance.it': {
        launch_template: [{ id: new Reference('aws_launch_template.it.id') }],
        root_block_device: [{ encrypted: true }],
      },
      'aws_launch_template.it': {
        block_device_mappings: [
          { device_name: '/dev/xvda', ebs: [{ encrypted: '', volume_size: 20 }] },
          { device_name: '/dev/sdb', virtual_name: 'ephemeral0', ebs: [] },
          { device_name: '/dev/sdf', ebs: [{ encrypted: 'false' }] },
        ],
      },
    });
    expect(attributes).toMatchObject({
      volumes: [{ encryption: { enabled: true } }, volume('/dev/sdf', false)],
      root_volume: root(true, true),
    });
  });

  test('have in AWS Config the root device that the item names', () => {
    const attributes = attributesOfItem(
      [
        'AWS::EC2::Instance',
        {
          rootDeviceName: '/dev/xvdb',
          blockDeviceMappings: [
            { deviceName: '/dev/xvda', ebs: { volumeId: 'vol-elsewhere' } },
            { deviceName: '/dev/xvdb', ebs: { volumeId: 'item-1' } },
          ],
        },
      ],
      ['AWS::EC2::Volume', { encrypted: true }],
    );
    expect(attributes).toHaveProperty('root_volume', root(true, true));
  });
});

describe('the role of an instance', () => {
  const trust = { Statement: [] };
  const statement = { Effect: 'Allow', Action: '*', Resource: '*' };
  const everything = {
    policy: { statements: [expect.objectContaining({ actions: ['*'], resources: ['*'] })] },
    managed_policy_arns: ['arn:aws:iam::aws:policy/ReadOnlyAccess'],
  };

  test('is that of its instance profile', () => {
    expect(
      attributesOfTemplate({
        It: ['AWS::EC2::Instance', { IamInstanceProfile: { Ref: 'Profile' } }],
        Profile: ['AWS::IAM::InstanceProfile', { Roles: [{ Ref: 'Role' }] }],
        Role: [
          'AWS::IAM::Role',
          {
            AssumeRolePolicyDocument: trust,
            ManagedPolicyArns: ['arn:aws:iam::aws:policy/ReadOnlyAccess'],
            Policies: [{ PolicyName: 'all', PolicyDocument: { Statement: [statement] } }],
          },
        ],
      }),
    ).toMatchObject({ role: everything });
    const plan = (profile: Readonly<Record<string, unknown>>) => ({
      'aws_instance.it': {
        iam_instance_profile: new Reference('aws_iam_instance_profile.it.name'),
      },
      'aws_iam_instance_profile.it': profile,
      'aws_iam_role.it': {
        assume_role_policy: JSON.stringify(trust),
        managed_policy_arns: ['arn:aws:iam::aws:policy/ReadOnlyAccess'],
      },
      'aws_iam_role_policy.it': {
        role: new Reference('aws_iam_role.it.id'),
        policy: JSON.stringify({ Statement: [statement] }),
      },
    });
    const role = new Reference('aws_iam_role.it.name');
    expect(attributesOfPlan(plan({ role }))).toMatchObject({ role: everything });
    expect(attributesOfPlan(plan({ roles: [role] }))).toMatchObject({ role: everything });
  });

  test('is found among the items of AWS Config', () => {
    const arn = 'arn:aws:iam::123456789012:instance-profile/web';
    expect(
      attributesOfItem(
        ['AWS::EC2::Instance', { iamInstanceProfile: { arn: 'item-1' } }],
        ['AWS::IAM::InstanceProfile', { Arn: arn, Roles: ['item-2'] }],
        [
          'AWS::IAM::Role',
          {
            attachedManagedPolicies: [{ policyArn: 'arn:aws:iam::aws:policy/ReadOnlyAccess' }],
            rolePolicyList: [
              {
                policyName: 'all',
                policyDocument: JSON.stringify({ Statement: [statement] }),
              },
            ],
          },
        ],
      ),
    ).toMatchObject({ role: everything });
  });

  test('is none without a profile, and may do anything where the role is elsewhere', () => {
    expect(attributesOfTemplate({ It: ['AWS::EC2::Instance', {}] })).toMatchObject({
      role: { policy: { statements: [] }, managed_policy_arns: [] },
    });
    expect(
      attributesOfTemplate({
        It: ['AWS::EC2::Instance', { IamInstanceProfile: { Ref: 'Profile' } }],
        Profile: ['AWS::IAM::InstanceProfile', { Roles: ['elsewhere'] }],
      }),
    ).toMatchObject({ role: unknownRole });
  });
});
