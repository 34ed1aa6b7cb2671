import { normaliser } from '../../normaliser.ts';
import { textMap } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';
import { variablesOf } from './container.ts';

export const apprunnerService = normaliser({
  types: ['AWS::AppRunner::Service'],
  source: 'AWS App Runner API Reference, API version 2020-05-15',
  attributes: {
    environment_variables: {
      type: 'map<string,string>',
      meaning:
        'environment variables with their values, except those from Secrets Manager, Parameter Store or a file in the repository',
      absent: {},
    },
  },
  arguments: { RuntimeEnvironmentSecrets: 'runtime_environment_secrets' },
  from: {
    cloudformation: ({ properties }) => ofDocument(properties),
    terraform: ({ properties }) => {
      const source = planned(properties, 'source_configuration');
      return {
        environment_variables: textMap(
          planned(
            source,
            'image_repository',
            'image_configuration',
            'runtime_environment_variables',
          ) ??
            planned(
              source,
              'code_repository',
              'code_configuration',
              'code_configuration_values',
              'runtime_environment_variables',
            ),
        ),
      };
    },
    'aws-config': ({ properties }) => ofDocument(properties),
  },
});

/** A service runs an image or code. */
function ofDocument(properties: unknown) {
  const source = field(properties, 'SourceConfiguration');
  const variables = 'RuntimeEnvironmentVariables';
  return {
    environment_variables: variablesOf(
      field(source, 'ImageRepository', 'ImageConfiguration', variables) ??
        field(source, 'CodeRepository', 'CodeConfiguration', 'CodeConfigurationValues', variables),
    ),
  };
}
