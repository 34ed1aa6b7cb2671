import { normaliser } from '../../normaliser.ts';
import { and, at, block, isUnknown } from '../../values.ts';

export const apiGatewayV2Stage = normaliser({
  types: ['AWS::ApiGatewayV2::Stage'],
  attributes: {
    'logging.enabled': {
      type: 'bool',
      meaning: 'access logs are written: they have a destination and a format',
      absent: false,
    },
  },
  from: {
    cloudformation: ({ properties }) =>
      read(
        at(properties, 'AccessLogSettings', 'DestinationArn'),
        at(properties, 'AccessLogSettings', 'Format'),
      ),
    terraform: ({ properties }) => {
      const settings = block(properties, 'access_log_settings');
      return read(at(settings, 'destination_arn'), at(settings, 'format'));
    },
    'aws-config': ({ properties }) =>
      read(
        at(properties, 'accessLogSettings', 'destinationArn'),
        at(properties, 'accessLogSettings', 'format'),
      ),
  },
});

const read = (destination: unknown, format: unknown) => ({
  'logging.enabled': and(isWritten(destination), isWritten(format)),
});

/** A text that is set, whatever it is; a number is no ARN and no format. */
const isWritten = (value: unknown) =>
  isUnknown(value) ? value.present || value : typeof value === 'string' && value !== '';
