// Templates whose texts are documents, scripts or archives themselves: nothing of them may end a check with an error of govctl's
// own, and what can't be read whole is undecided, never a pass.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../support/fake-world.ts';
import { makeRepo } from '../support/temp-repo.ts';

const deepJson = (count: number, inner = '1'): string =>
  `${'{"a":'.repeat(count)}${inner}${'}'.repeat(count)}`;
const deep = deepJson(50_000);

const cloudFormation = (Type: string, Properties: object): string =>
  JSON.stringify({ Resources: { A: { Type, Properties } } });
const azure = (type: string, properties: object): string =>
  JSON.stringify({
    $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
    contentVersion: '1.0.0.0',
    resources: [{ type, apiVersion: '2024-03-01', name: 'vm/e', properties }],
  });
const terraform = (type: string, values: object): string => {
  const about = { address: `${type}.x`, mode: 'managed', type, name: 'x', provider_name: 'registry.terraform.io/hashicorp/x' }; // prettier-ignore
  return JSON.stringify({
    format_version: '1.2',
    planned_values: { root_module: { resources: [{ ...about, values }] } },
    resource_changes: [
      { ...about, change: { actions: ['create'], before: null, after: values, after_unknown: {} } },
    ],
  });
};

const noSecrets = (type: string): string =>
  JSON.stringify({
    name: 'p',
    resource_type: type,
    rules: [{ condition: 'size(resource.user_data.secrets) > 0', effect: 'DENY' }],
  });
const reads = (type: string, what: string): string =>
  JSON.stringify({
    name: 'p',
    resource_type: type,
    rules: [{ condition: `resource.${what}`, effect: 'DENY' }],
  });

const check = (policy: string, input: string) =>
  runCommandLine(['check', 'input.json', '--policies', 'p.yaml', '-o', 'json'], {
    cwd: makeRepo({ 'p.yaml': policy, 'input.json': input }),
  });

const extension = 'Azure::Compute::virtualMachines/extensions';
const instance = 'AWS::EC2::Instance';

describe('check of a template with hostile texts', () => {
  it.each<[what: string, policy: string, input: string]>([
    [
      'settings of an extension that are nested without end',
      noSecrets(extension),
      terraform('azurerm_virtual_machine_extension', { settings: deep }),
    ],
    [
      'an archive of one run of millions of characters',
      noSecrets(instance),
      cloudFormation(instance, {
        UserData: gzipSync(Buffer.alloc(8_000_000, 'a')).toString('base64').padEnd(250_000, '\n'),
      }),
    ],
    [
      'an archive of millions of short runs',
      noSecrets(instance),
      cloudFormation(instance, {
        UserData: gzipSync(Buffer.from(`${'a'.repeat(16)}\n`.repeat(480_000)))
          .toString('base64')
          .padEnd(250_000, '\n'),
      }),
    ],
    [
      'a definition of containers that is nested without end',
      reads('AWS::ECS::TaskDefinition', 'containers.exists(one, one.privileged)'),
      terraform('aws_ecs_task_definition', {
        container_definitions: `[{"environment":[{"name":"a","value":${deep}}]}]`,
      }),
    ],
    [
      'a definition of an API that is nested without end',
      reads('AWS::ApiGateway::RestApi', 'open_methods.exists(one, true)'),
      terraform('aws_api_gateway_rest_api', { body: `{"paths":{"/x":${deep}}}` }),
    ],
  ])('is undecided about %s', async (_, policy, input) => {
    const { stdout, stderr, exitCode } = await check(policy, input);
    expect(stderr + stdout).not.toMatch(/call stack|(fault of|bug in) govctl/);
    expect(JSON.parse(stdout)).toMatchObject({ summary: { pass: 0 } });
    expect(exitCode).toBe(2);
  });

  it('reads hundreds of thousands of settings of an extension, and shows no secret', async () => {
    const settings = Object.fromEntries(
      Array.from({ length: 200_000 }, (__, n) => [`k${n}`, `echo ${n}`]),
    );
    const secret = 'S3cretS3cretXYZ';
    const input = azure('Microsoft.Compute/virtualMachines/extensions', {
      settings: { ...settings, commandToExecute: `curl -u admin:${secret} https://example.com` },
    });
    const { stdout, stderr, exitCode } = await check(noSecrets(extension), input);
    expect(exitCode, stderr).toBe(2);
    expect(stdout + stderr).not.toContain(secret);
  });
});
