import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at, block, isUnknown, list, mapList, text } from '../../values.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';

export const codebuildProject = normaliser({
  types: ['AWS::CodeBuild::Project'],
  attributes: {
    ...kmsKeyAttributes(' for the artifacts'),
    variables: { type: 'list', meaning: "the builds' environment variables", absent: [] },
    'variables[].name': { type: 'string', meaning: "the variable's name" },
    'variables[].kind': {
      type: 'string',
      meaning: '`PLAINTEXT`, `PARAMETER_STORE` or `SECRETS_MANAGER`: where the value is kept',
      absent: 'PLAINTEXT',
    },
    sources: { type: 'list', meaning: 'the source and the secondary sources', absent: [] },
    'sources[].kind': { type: 'string', meaning: 'such as `GITHUB`, `BITBUCKET`, `S3`' },
    'sources[].location': {
      type: 'string',
      meaning: 'URL of the repository, or where else the source is; none where a pipeline gives it',
    },
  },
  from: {
    cloudformation: ({ properties }, related) =>
      read(related, {
        key: at(properties, 'EncryptionKey'),
        variables: pairs(at(properties, 'Environment', 'EnvironmentVariables'), 'Name', 'Type'),
        sources: sources(at(properties, 'Source'), at(properties, 'SecondarySources'), [
          'Type',
          'Location',
        ]),
      }),
    terraform: ({ properties }, related) =>
      read(related, {
        key: at(properties, 'encryption_key'),
        variables: pairs(
          at(block(properties, 'environment'), 'environment_variable'),
          'name',
          'type',
        ),
        sources: sources(block(properties, 'source'), at(properties, 'secondary_sources'), [
          'type',
          'location',
        ]),
      }),
    'aws-config': ({ properties }, related) =>
      read(related, {
        key: at(properties, 'encryptionKey'),
        variables: pairs(at(properties, 'environment', 'environmentVariables'), 'name', 'type'),
        sources: sources(at(properties, 'source'), at(properties, 'secondarySources'), [
          'type',
          'location',
        ]),
      }),
  },
});

const read = (
  related: Related,
  given: { readonly key: unknown; readonly variables: unknown; readonly sources: unknown },
) => ({ ...kmsKey(given.key, related), variables: given.variables, sources: given.sources });

const pairs = (variables: unknown, name: string, kind: string) =>
  mapList(variables, (one) => ({
    name: text(at(one, name)),
    kind: text(at(one, kind)) ?? 'PLAINTEXT',
  }));

function sources(
  first: unknown,
  others: unknown,
  [kind, location]: readonly [kind: string, location: string],
) {
  const all = [list(first), list(others)];
  return (
    all.find(isUnknown) ??
    all.flatMap((some) =>
      isUnknown(some)
        ? []
        : some.map((one) => ({
            kind: text(at(one, kind)),
            location: text(at(one, location)),
          })),
    )
  );
}
