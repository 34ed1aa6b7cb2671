import { describe, expect, test } from 'vitest';
import {
  Reference,
  attributesOfItem,
  attributesOfPlan,
  attributesOfTemplate,
  testTwins,
} from './twins.ts';
import type { Twins } from './twins.ts';

const key = 'arn:aws:kms:eu-central-1:123456789012:key/1';
const container = {
  image: 'shop/web:1.4.2',
  privileged: false,
  read_only_root_filesystem: false,
  environment_variables: {},
};
const scannedByRegistry = (filter: string): Twins['template'] => ({
  It: ['AWS::ECR::Repository', { RepositoryName: 'shop/web' }],
  Registry: [
    'AWS::ECR::RegistryScanningConfiguration',
    {
      ScanType: 'ENHANCED',
      Rules: [
        {
          ScanFrequency: 'SCAN_ON_PUSH',
          RepositoryFilters: [{ Filter: filter, FilterType: 'WILDCARD' }],
        },
      ],
    },
  ],
});

testTwins({
  'a repository': {
    template: {
      It: [
        'AWS::ECR::Repository',
        { ImageScanningConfiguration: { ScanOnPush: 'true' }, ImageTagMutability: 'IMMUTABLE' },
      ],
    },
    plan: {
      'aws_ecr_repository.it': {
        image_scanning_configuration: [{ scan_on_push: true }],
        image_tag_mutability: 'IMMUTABLE',
      },
    },
    expected: { scan_on_push: true, immutable_tags: true, policy: { statements: [] } },
  },
  'a bare repository': {
    template: { It: ['AWS::ECR::Repository', {}] },
    plan: {
      'aws_ecr_repository.it': {
        image_scanning_configuration: [],
        image_tag_mutability: 'MUTABLE',
      },
    },
    expected: { scan_on_push: false, immutable_tags: false, policy: { statements: [] } },
  },
  'a repository of a registry that scans': {
    template: scannedByRegistry('shop/*'),
    plan: {
      'aws_ecr_repository.it': { name: 'shop/web' },
      'aws_ecr_registry_scanning_configuration.all': {
        scan_type: 'ENHANCED',
        rule: [
          {
            scan_frequency: 'SCAN_ON_PUSH',
            repository_filter: [{ filter: 'shop/*', filter_type: 'WILDCARD' }],
          },
        ],
      },
    },
    expected: { scan_on_push: true, immutable_tags: false, policy: { statements: [] } },
  },
  'a task': {
    template: {
      It: [
        'AWS::ECS::TaskDefinition',
        {
          NetworkMode: 'host',
          ContainerDefinitions: [
            { Name: 'web', Image: 'shop/web:1.4.2', User: '1000:0', Privileged: 'false' },
            { Name: 'agent', Image: 'agent:2', Privileged: true, ReadonlyRootFilesystem: true },
          ],
        },
      ],
    },
    plan: {
      'aws_ecs_task_definition.it': {
        network_mode: 'host',
        container_definitions: JSON.stringify([
          { name: 'web', image: 'shop/web:1.4.2', user: '1000:0' },
          { name: 'agent', image: 'agent:2', privileged: true, readonlyRootFilesystem: true },
        ]),
      },
    },
    expected: {
      network_mode: 'host',
      containers: [
        { ...container, name: 'web', user: '1000:0' },
        {
          name: 'agent',
          image: 'agent:2',
          privileged: true,
          read_only_root_filesystem: true,
          environment_variables: {},
        },
      ],
    },
  },
  'a task whose containers are not known yet': {
    template: {
      It: ['AWS::ECS::TaskDefinition', { ContainerDefinitions: { 'Fn::ImportValue': 'web' } }],
    },
    plan: {
      'aws_ecs_task_definition.it': {
        container_definitions: new Reference('aws_ecr_repository.web.repository_url'),
      },
      'aws_ecr_repository.web': {},
    },
    expected: { network_mode: 'bridge', containers: 'not known' },
  },
  'a cluster with everything set': {
    template: {
      It: [
        'AWS::EKS::Cluster',
        {
          ResourcesVpcConfig: {
            EndpointPublicAccess: true,
            PublicAccessCidrs: ['198.51.100.0/24'],
          },
          EncryptionConfig: [{ Provider: { KeyArn: key }, Resources: ['secrets'] }],
          Logging: { ClusterLogging: { EnabledTypes: [{ Type: 'api' }, { Type: 'audit' }] } },
        },
      ],
    },
    plan: {
      'aws_eks_cluster.it': {
        vpc_config: [{ endpoint_public_access: true, public_access_cidrs: ['198.51.100.0/24'] }],
        encryption_config: [{ provider: [{ key_arn: key }], resources: ['secrets'] }],
        enabled_cluster_log_types: ['api', 'audit'],
      },
    },
    expected: {
      public_access: true,
      network: { allowed_cidrs: ['198.51.100.0/24'] },
      encryption: { customer_managed: true },
      logging: { types: ['api', 'audit'] },
    },
  },
  'a cluster with nothing set': {
    template: { It: ['AWS::EKS::Cluster', {}] },
    plan: {
      'aws_eks_cluster.it': {
        vpc_config: [{ public_access_cidrs: [] }],
        encryption_config: [],
        enabled_cluster_log_types: null,
      },
    },
    expected: {
      public_access: true,
      network: { allowed_cidrs: ['0.0.0.0/0'] },
      encryption: { customer_managed: false },
      logging: { types: [] },
    },
  },
  'a batch job': {
    template: {
      It: [
        'AWS::Batch::JobDefinition',
        { ContainerProperties: { Image: 'shop/web:1.4.2', Privileged: true, User: 'nobody' } },
      ],
    },
    plan: {
      'aws_batch_job_definition.it': {
        container_properties: JSON.stringify({
          image: 'shop/web:1.4.2',
          privileged: true,
          user: 'nobody',
        }),
      },
    },
    expected: { containers: [{ ...container, privileged: true, user: 'nobody' }] },
  },
  'a batch job on several nodes': {
    template: {
      It: [
        'AWS::Batch::JobDefinition',
        {
          NodeProperties: {
            NodeRangeProperties: [
              { TargetNodes: '0:1', Container: { Image: 'shop/web:1.4.2' } },
              { TargetNodes: '2:', Container: { Image: 'shop/web:1.4.2', Privileged: true } },
            ],
          },
        },
      ],
    },
    plan: {
      'aws_batch_job_definition.it': {
        node_properties: JSON.stringify({
          nodeRangeProperties: [
            { targetNodes: '0:1', container: { image: 'shop/web:1.4.2' } },
            { targetNodes: '2:', container: { image: 'shop/web:1.4.2', privileged: true } },
          ],
        }),
      },
    },
    expected: { containers: [container, { ...container, privileged: true }] },
  },
  'a batch job on Kubernetes': {
    template: {
      It: [
        'AWS::Batch::JobDefinition',
        {
          EksProperties: {
            PodProperties: {
              Containers: [
                {
                  Image: 'shop/web:1.4.2',
                  SecurityContext: { Privileged: true, RunAsUser: 1000 },
                },
              ],
            },
          },
        },
      ],
    },
    plan: {
      'aws_batch_job_definition.it': {
        eks_properties: [
          {
            pod_properties: [
              {
                containers: [
                  {
                    image: 'shop/web:1.4.2',
                    security_context: [{ privileged: true, run_as_user: 1000 }],
                  },
                ],
              },
            ],
          },
        ],
      },
    },
    expected: { containers: [{ ...container, privileged: true, user: '1000' }] },
  },
  'a build project': {
    template: {
      It: [
        'AWS::CodeBuild::Project',
        {
          EncryptionKey: 'alias/aws/s3',
          Environment: {
            EnvironmentVariables: [
              { Name: 'STAGE', Value: 'prod' },
              { Name: 'TOKEN', Value: 'shop/token', Type: 'SECRETS_MANAGER' },
            ],
          },
          Source: { Type: 'GITHUB', Location: 'https://github.com/example/shop.git' },
          SecondarySources: [{ Type: 'S3', Location: 'builds/shop.zip' }],
        },
      ],
    },
    plan: {
      'aws_codebuild_project.it': {
        encryption_key: 'alias/aws/s3',
        environment: [
          {
            environment_variable: [
              { name: 'STAGE', value: 'prod', type: 'PLAINTEXT' },
              { name: 'TOKEN', value: 'shop/token', type: 'SECRETS_MANAGER' },
            ],
          },
        ],
        source: [{ type: 'GITHUB', location: 'https://github.com/example/shop.git' }],
        secondary_sources: [{ type: 'S3', location: 'builds/shop.zip' }],
      },
    },
    expected: {
      encryption: { customer_managed: false, kms_key_id: 'alias/aws/s3' },
      variables: [
        { name: 'STAGE', kind: 'PLAINTEXT' },
        { name: 'TOKEN', kind: 'SECRETS_MANAGER' },
      ],
      sources: [
        { kind: 'GITHUB', location: 'https://github.com/example/shop.git' },
        { kind: 'S3', location: 'builds/shop.zip' },
      ],
    },
  },
});
test.each([
  ['*', true],
  ['shop/*', true],
  ['*/web', true],
  ['s*p/*b', true],
  ['shop', true],
  ['shop/web/*', false],
  ['web', false],
  ['shop/web*web', false],
])('the filter %s of a registry covers shop/web: %s', (filter, covered) => {
  expect(attributesOfTemplate(scannedByRegistry(filter)).scan_on_push).toBe(covered);
});

test('containers that are no JSON are not known', () => {
  const task = { container_definitions: '[{"name": "web"' };
  expect(attributesOfPlan({ 'aws_ecs_task_definition.it': task }).containers).toBe('not known');
});

describe('an item of AWS Config gives', () => {
  test('the attributes of a cluster', () => {
    expect(
      attributesOfItem([
        'AWS::EKS::Cluster',
        {
          ResourcesVpcConfig: { EndpointPublicAccess: false, PublicAccessCidrs: [] },
          EncryptionConfig: [{ Provider: { KeyArn: key }, Resources: ['secrets'] }],
          Logging: { ClusterLogging: { EnabledTypes: [{ Type: 'audit' }] } },
        },
      ]),
    ).toEqual({
      public_access: false,
      network: { allowed_cidrs: ['0.0.0.0/0'] },
      encryption: { customer_managed: true },
      logging: { types: ['audit'] },
    });
  });

  test('the attributes of a build project', () => {
    expect(
      attributesOfItem([
        'AWS::CodeBuild::Project',
        {
          encryptionKey: key,
          environment: {
            environmentVariables: [{ name: 'STAGE', value: 'prod', type: 'PLAINTEXT' }],
          },
          source: { type: 'CODEPIPELINE' },
          secondarySources: [],
        },
      ]),
    ).toEqual({
      encryption: { customer_managed: true, kms_key_id: key },
      variables: [{ name: 'STAGE', kind: 'PLAINTEXT' }],
      sources: [{ kind: 'CODEPIPELINE' }],
    });
  });
});

test('what is known of an image is kept, such as that it has a tag', () => {
  const image = { 'Fn::Sub': '${AWS::AccountId}.dkr.ecr.eu-central-1.amazonaws.com/it:${Version}' };
  const attributes = attributesOfTemplate(
    { It: ['AWS::ECS::TaskDefinition', { ContainerDefinitions: [{ Image: image }] }] },
    { Version: { Type: 'String' } },
  );
  expect(attributes['containers']).toMatchObject([
    { image: '${AWS::AccountId}.dkr.ecr.eu-central-1.amazonaws.com/it:${Version}' },
  ]);
});

test('a token that a source URL gets from a parameter is seen in it', () => {
  const location = { 'Fn::Sub': 'https://${Token}@github.com/acme/app' };
  const attributes = attributesOfTemplate(
    { It: ['AWS::CodeBuild::Project', { Source: { Type: 'GITHUB', Location: location } }] },
    { Token: { Type: 'String', NoEcho: true } },
  );
  expect(attributes['sources']).toEqual([
    { kind: 'GITHUB', location: 'https://${Token}@github.com/acme/app' },
  ]);
});
