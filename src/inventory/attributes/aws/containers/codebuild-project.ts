import type { RawResource } from '../../../model.ts';
import { environmentSecretsAttribute, secretVariables } from '../../environment-secrets.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at, block, isOneOf, isUnknown, joinAll, mapList, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';
import { planned } from '../plan-value.ts';
import { asWritten } from '../policy-document.ts';

export const codebuildProject = normaliser({
  types: ['AWS::CodeBuild::Project'],
  source: 'AWS CodeBuild API Reference, API version 2016-10-06',
  attributes: {
    ...kmsKeyAttributes(' for the artifacts'),
    ...environmentSecretsAttribute,
    variables: { type: 'list', meaning: 'environment variables of the builds', absent: [] },
    'variables[].name': { type: 'string', meaning: 'name of the variable' },
    'variables[].kind': {
      type: 'string',
      meaning: 'where the value is stored: `PLAINTEXT`, `PARAMETER_STORE` or `SECRETS_MANAGER`',
      spelling: ['PLAINTEXT', 'PARAMETER_STORE', 'SECRETS_MANAGER'],
      absent: 'PLAINTEXT',
    },
    sources: { type: 'list', meaning: 'the primary and secondary sources', absent: [] },
    'sources[].kind': {
      type: 'string',
      meaning: 'type of the source, such as `GITHUB`, `BITBUCKET` or `S3`',
      spelling: [
        'BITBUCKET',
        'CODECOMMIT',
        'CODEPIPELINE',
        'GITHUB',
        'GITHUB_ENTERPRISE',
        'GITLAB',
        'GITLAB_SELF_MANAGED',
        'NO_SOURCE',
        'S3',
      ],
    },
    'sources[].location': {
      type: 'string',
      meaning:
        'URL of the repository, or another location of the source; missing if a pipeline provides the source',
    },
  },
  arguments: {
    EncryptionKey: 'encryption_key',
    'Environment.EnvironmentVariables': 'environment.environment_variable',
    Location: 'location',
  },
  from: {
    cloudformation: (raw, related) => ofDocument(raw, related),
    terraform: ({ properties }, related) =>
      read(related, {
        key: planned(properties, 'encryption_key'),
        variables: at(block(properties, 'environment'), 'environment_variable'),
        sources: [at(properties, 'source'), at(properties, 'secondary_sources')],
      }),
    'aws-config': (raw, related) => ofDocument(raw, related),
  },
});

const ofDocument = ({ properties }: RawResource, related: Related) =>
  read(related, {
    key: field(properties, 'EncryptionKey'),
    variables: field(properties, 'Environment', 'EnvironmentVariables'),
    sources: [field(properties, 'Source'), field(properties, 'SecondarySources')],
  });

/** Each source spells the parts of a variable and of a source alike but for the case of their names. */
function read(
  related: Related,
  given: {
    readonly key: unknown;
    readonly variables: unknown;
    readonly sources: readonly unknown[];
  },
) {
  const sources = given.sources.map((some) => mapList(some, readSource));
  const plain = mapList(given.variables, (variable): [string, unknown][] => {
    const name = text(field(variable, 'Name'));
    const isPlain = isOneOf(field(variable, 'Type') ?? 'PLAINTEXT', 'PLAINTEXT') === true;
    return typeof name === 'string' && isPlain ? [[name, field(variable, 'Value')]] : [];
  });
  return {
    environment_secrets: isUnknown(plain) ? undefined : secretVariables(plain.flat()),
    // It shows its own key as `alias/aws/s3`.
    ...kmsKey(given.key, related, true),
    variables: mapList(given.variables, (variable) => ({
      name: text(field(variable, 'Name')),
      kind: text(field(variable, 'Type')) ?? 'PLAINTEXT',
    })),
    sources: joinAll(sources),
  };
}

const readSource = (source: unknown) => ({
  kind: text(field(source, 'Type')),
  location: text(asWritten(field(source, 'Location'))),
});
