import { normaliser } from '../../normaliser.ts';
import { isOneOf, isUnknown, list, textMap } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

export const beanstalk = normaliser({
  types: ['AWS::ElasticBeanstalk::Environment', 'AWS::ElasticBeanstalk::ConfigurationTemplate'],
  source: 'AWS Elastic Beanstalk API Reference, API version 2010-12-01',
  attributes: {
    environment_variables: {
      type: 'map<string,string>',
      meaning:
        'environment properties of the application, from the option settings of the environment',
      absent: {},
    },
  },
  arguments: { OptionSettings: 'setting' },
  from: {
    cloudformation: ({ properties }) => ({
      environment_variables: variablesOf(field(properties, 'OptionSettings'), 'OptionName'),
    }),
    terraform: ({ properties }) => ({
      environment_variables: variablesOf(planned(properties, 'setting'), 'Name'),
    }),
  },
});

function variablesOf(options: unknown, name: string): unknown {
  const given = list(options);
  if (isUnknown(given)) return given;
  const variables = given.filter(
    (one) =>
      isUnknown(one) ||
      isOneOf(field(one, 'Namespace'), 'aws:elasticbeanstalk:application:environment') === true,
  );
  return (
    variables.find(isUnknown) ??
    textMap(variables.map((one) => ({ Key: field(one, name), Value: field(one, 'Value') })))
  );
}
