import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { secretsIn, secretsInAll, userDataAttribute } from '../../user-data.ts';
import { isUnknown, list } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

export const lightsailInstance = normaliser({
  types: ['AWS::Lightsail::Instance'],
  attributes: userDataAttribute,
  arguments: { UserData: 'user_data' },
  from: {
    cloudformation: ({ properties }) => ({
      'user_data.secrets': secretsIn(field(properties, 'UserData')),
    }),
    terraform: ({ properties }) => ({
      'user_data.secrets': secretsIn(planned(properties, 'user_data')),
    }),
  },
});

export const notebookLifecycle = normaliser({
  types: ['AWS::SageMaker::NotebookInstanceLifecycleConfig'],
  attributes: userDataAttribute,
  arguments: { OnCreate: 'on_create', OnStart: 'on_start' },
  from: {
    cloudformation: ({ properties }) => ({
      'user_data.secrets': secretsInAll(
        ['OnCreate', 'OnStart'].flatMap((on) => hooks(properties, on)),
      ),
    }),
    terraform: ({ properties }) => ({
      'user_data.secrets': secretsInAll([
        planned(properties, 'on_create'),
        planned(properties, 'on_start'),
      ]),
    }),
  },
});

function hooks(properties: RawResource['properties'], on: string): unknown[] {
  const given = list(field(properties, on));
  return isUnknown(given) ? [given] : given.map((hook) => field(hook, 'Content'));
}
