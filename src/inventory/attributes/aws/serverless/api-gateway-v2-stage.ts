import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { and, isUnknown } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

export const apiGatewayV2Stage = normaliser({
  types: ['AWS::ApiGatewayV2::Stage'],
  source: 'Amazon API Gateway Version 2 API Reference, API version 2018-11-29',
  attributes: {
    'logging.enabled': {
      type: 'bool',
      meaning: 'access logs are written, because a destination and a format are set',
      absent: false,
    },
  },
  arguments: {
    'AccessLogSettings.DestinationArn': 'access_log_settings.destination_arn',
    'AccessLogSettings.Format': 'access_log_settings.format',
  },
  from: {
    cloudformation: (raw) => ofDocument(raw),
    terraform: ({ properties }) =>
      read(
        planned(properties, 'access_log_settings', 'destination_arn'),
        planned(properties, 'access_log_settings', 'format'),
      ),
    'aws-config': (raw) => ofDocument(raw),
  },
});

const ofDocument = ({ properties }: RawResource) =>
  read(
    field(properties, 'AccessLogSettings', 'DestinationArn'),
    field(properties, 'AccessLogSettings', 'Format'),
  );

const read = (destination: unknown, format: unknown) => ({
  'logging.enabled': and(isWritten(destination), isWritten(format)),
});

/** A text that is set, whatever it is; a number is no ARN and no format. */
const isWritten = (value: unknown) =>
  isUnknown(value) ? value.present || value : typeof value === 'string' && value !== '';
