import { describe, expect, test } from 'vitest';
import { Reference, attributesOfItem, attributesOfPlan, attributesOfTemplate } from './twins.ts';
import type { Twins } from './twins.ts';

const anywhere = ['0.0.0.0/0'];
const https = {
  access: 'allow',
  protocol: 'tcp',
  from_port: 443,
  to_port: 443,
  cidrs: anywhere,
  groups: [],
};

const listener = (more: Readonly<Record<string, unknown>>) =>
  ['AWS::ElasticLoadBalancingV2::Listener', more] as const;
const distribution = (more: Readonly<Record<string, unknown>>) =>
  ['AWS::CloudFront::Distribution', { DistributionConfig: more }] as const;

const twins: Record<string, Twins & { readonly expected: Record<string, unknown> }> = {
  'a security group with rules of its own': {
    template: {
      It: [
        'AWS::EC2::SecurityGroup',
        {
          GroupName: 'web',
          GroupDescription: 'web servers',
          SecurityGroupIngress: [
            { IpProtocol: 'TCP', FromPort: '443', ToPort: 443, CidrIp: '0.0.0.0/0' },
            { IpProtocol: '-1', CidrIpv6: '::/0', Description: 'all' },
            { IpProtocol: 17, FromPort: 53, ToPort: 53, SourceSecurityGroupId: 'sg-1' },
          ],
          SecurityGroupEgress: [
            { IpProtocol: 'icmp', FromPort: -1, ToPort: -1, DestinationPrefixListId: 'pl-1' },
          ],
        },
      ],
    },
    plan: {
      'aws_security_group.it': {
        name: 'web',
        description: 'web servers',
        ingress: [
          {
            protocol: 'tcp',
            from_port: 443,
            to_port: 443,
            cidr_blocks: anywhere,
            ipv6_cidr_blocks: [],
            prefix_list_ids: [],
            security_groups: [],
            self: false,
            description: '',
          },
          {
            protocol: '-1',
            from_port: 0,
            to_port: 0,
            ipv6_cidr_blocks: ['::/0'],
            description: 'all',
          },
          { protocol: '17', from_port: 53, to_port: 53, security_groups: ['sg-1'] },
        ],
        egress: [{ protocol: 'icmp', from_port: -1, to_port: -1, prefix_list_ids: ['pl-1'] }],
      },
    },
    expected: {
      group_name: 'web',
      description: 'web servers',
      default_egress: false,
      ingress: [
        https,
        {
          access: 'allow',
          protocol: 'all',
          from_port: 0,
          to_port: 65_535,
          cidrs: ['::/0'],
          groups: [],
          description: 'all',
        },
        {
          access: 'allow',
          protocol: 'udp',
          from_port: 53,
          to_port: 53,
          cidrs: [],
          groups: ['sg-1'],
        },
      ],
      egress: [
        {
          access: 'allow',
          protocol: 'icmp',
          from_port: -1,
          to_port: -1,
          cidrs: [],
          groups: ['pl-1'],
        },
      ],
    },
  },
  'a security group with rules beside it': {
    template: {
      It: ['AWS::EC2::SecurityGroup', { GroupName: 'web', GroupDescription: 'web servers' }],
      In: [
        'AWS::EC2::SecurityGroupIngress',
        {
          GroupId: { 'Fn::GetAtt': ['It', 'GroupId'] },
          IpProtocol: 'tcp',
          FromPort: 443,
          ToPort: 443,
          CidrIp: '0.0.0.0/0',
        },
      ],
      Out: [
        'AWS::EC2::SecurityGroupEgress',
        {
          GroupId: { Ref: 'It' },
          IpProtocol: 'tcp',
          FromPort: 443,
          ToPort: 443,
          CidrIp: '0.0.0.0/0',
        },
      ],
    },
    plan: {
      'aws_security_group.it': { name: 'web', description: 'web servers' },
      'aws_security_group_rule.in': {
        type: 'ingress',
        security_group_id: new Reference('aws_security_group.it.id'),
        protocol: 'tcp',
        from_port: 443,
        to_port: 443,
        cidr_blocks: anywhere,
      },
      'aws_vpc_security_group_egress_rule.out': {
        security_group_id: new Reference('aws_security_group.it.id'),
        ip_protocol: 'tcp',
        from_port: 443,
        to_port: 443,
        cidr_ipv4: '0.0.0.0/0',
      },
    },
    expected: { ingress: [https], egress: [https], default_egress: false },
  },
  'an inbound rule of its own': {
    template: {
      It: [
        'AWS::EC2::SecurityGroupIngress',
        { IpProtocol: 'tcp', FromPort: 443, ToPort: 443, CidrIp: '0.0.0.0/0' },
      ],
    },
    plan: {
      'aws_vpc_security_group_ingress_rule.it': {
        ip_protocol: 'tcp',
        from_port: 443,
        to_port: 443,
        cidr_ipv4: '0.0.0.0/0',
      },
    },
    expected: https,
  },
  'an entry of a network ACL': {
    template: {
      It: [
        'AWS::EC2::NetworkAclEntry',
        {
          Protocol: 58,
          RuleAction: 'allow',
          Egress: 'true',
          RuleNumber: 100,
          Ipv6CidrBlock: '::/0',
          Icmp: { Type: '128', Code: '0' },
        },
      ],
    },
    plan: {
      'aws_network_acl_rule.it': {
        protocol: '58',
        rule_action: 'allow',
        egress: true,
        rule_number: 100,
        ipv6_cidr_block: '::/0',
        icmp_type: 128,
        icmp_code: 0,
      },
    },
    expected: {
      access: 'allow',
      direction: 'egress',
      protocol: 'icmpv6',
      cidrs: ['::/0'],
      ipv6: true,
      icmp: { type: 128, code: 0 },
      priority: 100,
    },
  },
  'a route to an internet gateway': {
    template: {
      It: ['AWS::EC2::Route', { DestinationCidrBlock: '0.0.0.0/0', GatewayId: { Ref: 'Gateway' } }],
      Gateway: ['AWS::EC2::InternetGateway', {}],
    },
    plan: {
      'aws_route.it': {
        destination_cidr_block: '0.0.0.0/0',
        gateway_id: new Reference('aws_internet_gateway.main.id'),
      },
      'aws_internet_gateway.main': {},
    },
    expected: { destination_cidrs: anywhere, to_internet_gateway: true },
  },
  'a route to a virtual private gateway': {
    template: {
      It: ['AWS::EC2::Route', { DestinationCidrBlock: '0.0.0.0/0', GatewayId: { Ref: 'Gateway' } }],
      Gateway: ['AWS::EC2::VPNGateway', {}],
    },
    plan: {
      'aws_route.it': {
        destination_cidr_block: '0.0.0.0/0',
        gateway_id: new Reference('aws_vpn_gateway.main.id'),
      },
      'aws_vpn_gateway.main': {},
    },
    expected: { to_internet_gateway: false },
  },
  'a VPC with a flow log': {
    template: {
      It: ['AWS::EC2::VPC', { CidrBlock: '10.0.0.0/16' }],
      Log: ['AWS::EC2::FlowLog', { ResourceId: { Ref: 'It' }, ResourceType: 'VPC' }],
    },
    plan: {
      'aws_vpc.it': { cidr_block: '10.0.0.0/16' },
      'aws_flow_log.log': { vpc_id: new Reference('aws_vpc.it.id') },
    },
    expected: { flow_logs: { enabled: true } },
  },
  'a subnet': {
    template: { It: ['AWS::EC2::Subnet', { MapPublicIpOnLaunch: 'true' }] },
    plan: { 'aws_subnet.it': { map_public_ip_on_launch: true } },
    expected: { public_ip_on_launch: true },
  },
  'a load balancer': {
    template: {
      It: [
        'AWS::ElasticLoadBalancingV2::LoadBalancer',
        {
          Scheme: 'internal',
          LoadBalancerAttributes: [
            { Key: 'access_logs.s3.enabled', Value: 'true' },
            { Key: 'deletion_protection.enabled', Value: true },
            { Key: 'routing.http.drop_invalid_header_fields.enabled', Value: 'true' },
          ],
        },
      ],
      Acl: ['AWS::WAFv2::WebACLAssociation', { ResourceArn: { Ref: 'It' } }],
    },
    plan: {
      'aws_lb.it': {
        internal: true,
        enable_deletion_protection: true,
        drop_invalid_header_fields: true,
        access_logs: [{ bucket: 'logs', enabled: true }],
      },
      'aws_wafv2_web_acl_association.acl': { resource_arn: new Reference('aws_lb.it.arn') },
    },
    expected: {
      load_balancer_type: 'application',
      public_access: false,
      logging: { enabled: true },
      deletion_protection: true,
      drop_invalid_headers: true,
      waf: { enabled: true },
    },
  },
  'a load balancer of which nothing is said': {
    template: { It: ['AWS::ElasticLoadBalancingV2::LoadBalancer', {}] },
    plan: { 'aws_lb.it': {} },
    expected: {
      load_balancer_type: 'application',
      public_access: true,
      logging: { enabled: false },
      deletion_protection: false,
      drop_invalid_headers: false,
      waf: { enabled: false },
    },
  },
  'a listener with a certificate of the same input': {
    template: {
      It: listener({
        Protocol: 'HTTPS',
        SslPolicy: 'ELBSecurityPolicy-TLS13-1-2-2021-06',
        Certificates: [{ CertificateArn: { Ref: 'Certificate' } }],
        DefaultActions: [{ Type: 'forward' }],
      }),
      Certificate: ['AWS::CertificateManager::Certificate', {}],
    },
    plan: {
      'aws_lb_listener.it': {
        protocol: 'HTTPS',
        ssl_policy: 'ELBSecurityPolicy-TLS13-1-2-2021-06',
        certificate_arn: new Reference('aws_acm_certificate.main.arn'),
        default_action: [{ type: 'forward' }],
      },
      'aws_acm_certificate.main': {},
    },
    expected: {
      protocol: 'HTTPS',
      redirects_to_https: false,
      tls: { minimum_version: '1.2' },
      acm_certificate: true,
    },
  },
  'a listener that redirects': {
    template: {
      It: listener({
        Protocol: 'HTTP',
        DefaultActions: [{ Type: 'redirect', RedirectConfig: { Protocol: 'HTTPS' } }],
      }),
    },
    plan: {
      'aws_lb_listener.it': {
        protocol: 'HTTP',
        default_action: [{ type: 'redirect', redirect: [{ protocol: 'HTTPS' }] }],
      },
    },
    expected: { redirects_to_https: true, tls: { minimum_version: '1.0' }, acm_certificate: false },
  },
  'a classic load balancer': {
    template: {
      It: [
        'AWS::ElasticLoadBalancing::LoadBalancer',
        {
          Scheme: 'internal',
          CrossZone: true,
          AccessLoggingPolicy: { Enabled: 'true', S3BucketName: 'logs' },
          Listeners: [
            {
              Protocol: 'https',
              LoadBalancerPort: '443',
              SSLCertificateId: 'arn:aws:acm:eu-central-1:123456789012:certificate/1',
              PolicyNames: ['tls'],
            },
            {
              Protocol: 'SSL',
              LoadBalancerPort: '8443',
              SSLCertificateId: 'arn:aws:iam::123456789012:server-certificate/1',
            },
          ],
          Policies: [
            {
              PolicyName: 'tls',
              PolicyType: 'SSLNegotiationPolicyType',
              Attributes: [
                {
                  Name: 'Reference-Security-Policy',
                  Value: 'ELBSecurityPolicy-TLS-1-2-2017-01',
                },
              ],
            },
          ],
        },
      ],
    },
    plan: {
      'aws_elb.it': {
        internal: true,
        cross_zone_load_balancing: true,
        access_logs: [{ bucket: 'logs', enabled: true }],
        listener: [
          {
            lb_protocol: 'https',
            lb_port: 443,
            ssl_certificate_id: 'arn:aws:acm:eu-central-1:123456789012:certificate/1',
          },
          {
            lb_protocol: 'ssl',
            lb_port: 8443,
            ssl_certificate_id: 'arn:aws:iam::123456789012:server-certificate/1',
          },
        ],
      },
      'aws_lb_ssl_negotiation_policy.tls': {
        load_balancer: new Reference('aws_elb.it.id'),
        lb_port: 443,
        attribute: [
          { name: 'Reference-Security-Policy', value: 'ELBSecurityPolicy-TLS-1-2-2017-01' },
        ],
      },
    },
    expected: {
      public_access: false,
      cross_zone: true,
      logging: { enabled: true },
      listeners: [
        {
          protocol: 'HTTPS',
          acm_certificate: true,
          security_policy: 'ELBSecurityPolicy-TLS-1-2-2017-01',
        },
        { protocol: 'SSL', acm_certificate: false },
      ],
    },
  },
  'a distribution': {
    template: {
      It: distribution({
        DefaultRootObject: 'index.html',
        WebACLId: { Ref: 'Acl' },
        Logging: { Bucket: 'logs.s3.amazonaws.com' },
        DefaultCacheBehavior: { ViewerProtocolPolicy: 'redirect-to-https' },
        CacheBehaviors: [{ PathPattern: '/img/*' }],
        ViewerCertificate: {
          AcmCertificateArn: { Ref: 'Certificate' },
          MinimumProtocolVersion: 'TLSv1.2_2021',
          SslSupportMethod: 'sni-only',
        },
        Origins: [
          {
            DomainName: { 'Fn::GetAtt': ['Bucket', 'RegionalDomainName'] },
            OriginAccessControlId: 'E1',
          },
          { DomainName: 'assets.s3.eu-central-1.amazonaws.com' },
          { DomainName: 'assets.s3-website.eu-central-1.amazonaws.com', CustomOriginConfig: {} },
        ],
        OriginGroups: { Quantity: 1, Items: [{ Members: { Quantity: 2 } }] },
      }),
      Acl: ['AWS::WAFv2::WebACL', {}],
      Certificate: ['AWS::CertificateManager::Certificate', {}],
      Bucket: ['AWS::S3::Bucket', {}],
    },
    plan: {
      'aws_cloudfront_distribution.it': {
        default_root_object: 'index.html',
        web_acl_id: new Reference('aws_wafv2_web_acl.main.arn'),
        logging_config: [{ bucket: 'logs.s3.amazonaws.com' }],
        default_cache_behavior: [{ viewer_protocol_policy: 'redirect-to-https' }],
        ordered_cache_behavior: [{ path_pattern: '/img/*' }],
        viewer_certificate: [
          {
            acm_certificate_arn: new Reference('aws_acm_certificate.main.arn'),
            minimum_protocol_version: 'TLSv1.2_2021',
            ssl_support_method: 'sni-only',
          },
        ],
        origin: [
          {
            domain_name: new Reference('aws_s3_bucket.main.bucket_regional_domain_name'),
            origin_access_control_id: 'E1',
          },
          { domain_name: 'assets.s3.eu-central-1.amazonaws.com' },
          {
            domain_name: 'assets.s3-website.eu-central-1.amazonaws.com',
            custom_origin_config: [{ http_port: 80 }],
          },
        ],
        origin_group: [{ member: [{ origin_id: 'a' }, { origin_id: 'b' }] }],
      },
      'aws_wafv2_web_acl.main': {},
      'aws_acm_certificate.main': {},
      'aws_s3_bucket.main': {},
    },
    expected: {
      behaviors: [
        { path_pattern: '*', viewer_protocol_policy: 'redirect-to-https' },
        { path_pattern: '/img/*', viewer_protocol_policy: 'allow-all' },
      ],
      tls: { minimum_version: '1.2', sni: true },
      custom_certificate: true,
      default_root_object: 'index.html',
      origins: [
        { s3: true, access_identity: true },
        { s3: true, access_identity: false },
        { s3: false, access_identity: false },
      ],
      origin_failover: true,
      waf: { enabled: true },
      logging: { enabled: true },
    },
  },
  "a distribution with CloudFront's certificate": {
    template: {
      It: distribution({
        ViewerCertificate: {
          CloudFrontDefaultCertificate: true,
          MinimumProtocolVersion: 'TLSv1.2_2021',
        },
      }),
    },
    plan: {
      'aws_cloudfront_distribution.it': {
        viewer_certificate: [
          { cloudfront_default_certificate: true, minimum_protocol_version: 'TLSv1.2_2021' },
        ],
        web_acl_id: '',
      },
    },
    expected: {
      behaviors: [{ path_pattern: '*', viewer_protocol_policy: 'allow-all' }],
      tls: { minimum_version: '1.0', sni: false },
      custom_certificate: false,
      waf: { enabled: false },
      logging: { enabled: false },
    },
  },
  'a web ACL of WAF Classic': {
    template: { It: ['AWS::WAF::WebACL', { DefaultAction: { Type: 'ALLOW' } }] },
    plan: { 'aws_waf_web_acl.it': { default_action: [{ type: 'ALLOW' }] } },
    expected: { default_action: 'allow' },
  },
  'a web ACL of WAFv2': {
    template: { It: ['AWS::WAFv2::WebACL', { DefaultAction: { Block: {} } }] },
    plan: { 'aws_wafv2_web_acl.it': { default_action: [{ allow: [], block: [{}] }] } },
    expected: { default_action: 'block' },
  },
};

describe('the same attributes come from a template and from a plan of', () => {
  test.each(Object.entries(twins))('%s', (_title, { template, plan, expected }) => {
    const attributes = attributesOfTemplate(template);
    expect(attributes).toMatchObject(expected);
    expect(attributesOfPlan(plan)).toEqual(attributes);
  });
});

describe('of a security group', () => {
  const nothing = { IpProtocol: '-1', CidrIp: '127.0.0.1/32' };

  test.each([
    ['127.0.0.1/32', { CidrIp: '127.0.0.1/32' }],
    ['::1/128', { CidrIpv6: '::1/128' }],
    ['255.255.255.255/32', { CidrIp: '255.255.255.255/32' }],
  ])('a rule for %s alone takes the place of the default egress and opens nothing', (_cidr, to) => {
    const { ingress, egress, default_egress } = attributesOfTemplate({
      It: [
        'AWS::EC2::SecurityGroup',
        { SecurityGroupEgress: [{ ...nothing, ...to }], SecurityGroupIngress: [nothing] },
      ],
    });
    expect({ ingress, egress, default_egress }).toEqual({
      ingress: [],
      egress: [],
      default_egress: false,
    });
  });

  test('a plan and an item of AWS Config that say "none" so have no rules either', () => {
    const plan = {
      'aws_security_group.it': {
        egress: [{ protocol: '-1', from_port: 0, to_port: 0, cidr_blocks: ['127.0.0.1/32'] }],
      },
    };
    expect(attributesOfPlan(plan)).toMatchObject({ egress: [], default_egress: false });
    const item = attributesOfItem([
      'AWS::EC2::SecurityGroup',
      { ipPermissionsEgress: [{ ipProtocol: '-1', ipRanges: ['127.0.0.1/32'] }] },
    ]);
    expect(item).toMatchObject({ egress: [] });
  });

  test.each([
    { CidrIp: '127.0.0.1/7' },
    { CidrIp: '127.0.0.1/32', DestinationSecurityGroupId: 'sg-1' },
    { CidrIp: '128.0.0.1/32' },
    { CidrIpv6: '::/0' },
    { CidrIp: { Ref: 'Office' } },
  ])('a rule for %j opens something', (to) => {
    const { egress } = attributesOfTemplate(
      {
        It: ['AWS::EC2::SecurityGroup', { SecurityGroupEgress: { IpProtocol: '-1', ...to } }],
      },
      { Office: { Type: 'String' } },
    );
    expect(egress).toHaveLength(1);
  });

  test('a rule of its own tells that it opens nothing', () => {
    const template = { It: ['AWS::EC2::SecurityGroupEgress', nothing] as const };
    const plan = {
      'aws_vpc_security_group_egress_rule.it': { ip_protocol: '-1', cidr_ipv4: '127.0.0.1/32' },
    };
    expect(attributesOfTemplate(template)).toMatchObject({ opens_nothing: true });
    expect(attributesOfPlan(plan)).toMatchObject({ opens_nothing: true });
  });

  test('a template without outbound rules lets all out', () => {
    const { egress, default_egress } = attributesOfTemplate({
      It: ['AWS::EC2::SecurityGroup', { GroupDescription: 'web servers' }],
    });
    expect({ egress, default_egress }).toEqual({ egress: [], default_egress: true });
  });

  test("the VPC's own is called default, whatever a plan calls it", () => {
    const plan = { 'aws_default_security_group.main': { vpc_id: 'vpc-1' } };
    expect(attributesOfPlan(plan)).toMatchObject({ group_name: 'default', ingress: [] });
  });

  test('a rule without a protocol, which AWS refuses, is for all of them', () => {
    const { ingress } = attributesOfTemplate({
      It: [
        'AWS::EC2::SecurityGroup',
        { SecurityGroupIngress: { FromPort: 443, ToPort: 443, CidrIp: '0.0.0.0/0' } },
      ],
    });
    expect(ingress).toEqual([
      {
        access: 'allow',
        protocol: 'all',
        from_port: 0,
        to_port: 65_535,
        cidrs: anywhere,
        groups: [],
      },
    ]);
  });

  test('a source that is not known stands in its place', () => {
    const { ingress } = attributesOfTemplate(
      {
        It: [
          'AWS::EC2::SecurityGroup',
          {
            SecurityGroupIngress: [
              { IpProtocol: 'tcp', FromPort: 22, ToPort: 22, CidrIp: { Ref: 'Office' } },
            ],
          },
        ],
      },
      { Office: { Type: 'String' } },
    );
    expect(ingress).toMatchObject([{ cidrs: ['not known'] }]);
  });

  test('an item of AWS Config has each address once, and a description where all have one', () => {
    const permission = (description?: string) => ({
      ipProtocol: 'tcp',
      fromPort: 443,
      toPort: 443,
      ipRanges: ['0.0.0.0/0'],
      ipv4Ranges: [{ cidrIp: '0.0.0.0/0', description }],
      ipv6Ranges: [{ cidrIpv6: '::/0', description: 'public' }],
      userIdGroupPairs: [],
      prefixListIds: [],
    });
    const { ingress } = attributesOfItem([
      'AWS::EC2::SecurityGroup',
      { groupName: 'web', ipPermissions: [permission('public'), permission()] },
    ]);
    const both = { ...https, cidrs: ['0.0.0.0/0', '::/0'] };
    expect(ingress).toEqual([{ ...both, description: 'public' }, both]);
  });
});

describe('a listener', () => {
  const toHttps = { Type: 'redirect', RedirectConfig: { Protocol: 'HTTPS' } };
  const fixed = { Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404' } };
  const forward = { Type: 'forward', TargetGroupArn: 'arn:tg' };
  const serves = (own: unknown, ofRule: unknown): unknown =>
    attributesOfTemplate({
      It: ['AWS::ElasticLoadBalancingV2::Listener', { DefaultActions: own }],
      Rule: [
        'AWS::ElasticLoadBalancingV2::ListenerRule',
        { ListenerArn: { Ref: 'It' }, Actions: ofRule },
      ],
    })['serves_requests'];

  test.each([
    ['redirects', [toHttps]],
    ['answers with a fixed text', [fixed]],
  ])('that %s, as its rules do, serves no requests', (_title, actions) => {
    expect(serves(actions, [toHttps])).toBe(false);
    expect(serves(actions, [fixed])).toBe(false);
    const { serves_requests } = attributesOfPlan({
      'aws_lb_listener.it': {
        default_action: [{ type: 'redirect', redirect: [{ protocol: 'HTTPS' }] }],
      },
      'aws_lb_listener_rule.it': {
        listener_arn: new Reference('aws_lb_listener.it.arn'),
        action: [{ type: 'fixed-response' }],
      },
    });
    expect(serves_requests).toBe(false);
  });

  test('serves requests where a rule forwards them, whatever its default action is', () => {
    expect(serves([toHttps], [forward])).toBe(true);
    expect(serves([fixed], [forward])).toBe(true);
    const { serves_requests } = attributesOfPlan({
      'aws_lb_listener.it': { default_action: [{ type: 'fixed-response' }] },
      'aws_lb_listener_rule.it': {
        listener_arn: new Reference('aws_lb_listener.it.arn'),
        action: [{ type: 'forward' }],
      },
    });
    expect(serves_requests).toBe(true);
  });

  test('serves requests where it redirects to plain HTTP, forwards, or says nothing', () => {
    expect(serves([{ Type: 'redirect', RedirectConfig: { Host: 'b.example' } }], [fixed])).toBe(
      true,
    );
    expect(serves([forward], [fixed])).toBe(true);
    expect(serves([], [fixed])).toBe(true);
  });
});

test.each([
  ['of an application load balancer speaks HTTP', { port: 80 }, 'HTTP'],
  ['of a gateway load balancer speaks nothing', {}, undefined],
])('a planned listener without a protocol %s', (_title, values, expected) => {
  expect(attributesOfPlan({ 'aws_lb_listener.it': values }).protocol).toBe(expected);
});

describe('an item of AWS Config gives', () => {
  test('the attributes of a load balancer, which are JSON text beside it', () => {
    const attributes = attributesOfItem([
      'AWS::ElasticLoadBalancingV2::LoadBalancer',
      { scheme: 'internal', type: 'application' },
      {
        LoadBalancerAttributes: JSON.stringify([
          { key: 'access_logs.s3.enabled', value: 'true' },
          { key: 'deletion_protection.enabled', value: 'false' },
        ]),
      },
    ]);
    expect(attributes).toMatchObject({
      public_access: false,
      logging: { enabled: true },
      deletion_protection: false,
    });
  });

  test('the logs of a distribution by their switch, as an empty bucket stands beside it', () => {
    const attributes = attributesOfItem([
      'AWS::CloudFront::Distribution',
      {
        distributionConfig: {
          logging: { enabled: false, bucket: '' },
          defaultCacheBehavior: { viewerProtocolPolicy: 'https-only' },
          cacheBehaviors: { quantity: 0, items: [] },
          origins: { quantity: 1, items: [{ domainName: 'a.s3.amazonaws.com' }] },
          webACLId: '',
        },
      },
    ]);
    expect(attributes).toMatchObject({
      behaviors: [{ viewer_protocol_policy: 'https-only' }],
      origins: [{ s3: true, access_identity: false }],
      logging: { enabled: false },
      waf: { enabled: false },
    });
  });
});

test('a rule that is a resource of its own says so in its group', () => {
  const attributes = attributesOfTemplate({
    It: ['AWS::EC2::SecurityGroup', { SecurityGroupIngress: [{ IpProtocol: 'tcp' }] }],
    Rule: ['AWS::EC2::SecurityGroupIngress', { GroupId: { Ref: 'It' }, IpProtocol: 'udp' }],
  });
  expect(attributes['ingress']).toEqual([
    expect.not.objectContaining({ declared_by: expect.anything() as unknown }),
    expect.objectContaining({ protocol: 'udp', declared_by: 'AWS::EC2::SecurityGroupIngress' }),
  ]);
});

test.each([
  ['arn:${AWS::Partition}:acm:${AWS::Region}:${AWS::AccountId}:certificate/it', true],
  ['arn:${AWS::Partition}:iam::${AWS::AccountId}:server-certificate/it', false],
])('the service of the certificate %s is told before all of it is known', (written, isAcm) => {
  const attributes = attributesOfTemplate({
    It: [
      'AWS::ElasticLoadBalancing::LoadBalancer',
      { Listeners: [{ Protocol: 'HTTPS', SSLCertificateId: { 'Fn::Sub': written } }] },
    ],
  });
  expect(attributes['listeners']).toEqual([{ protocol: 'HTTPS', acm_certificate: isAcm }]);
});
