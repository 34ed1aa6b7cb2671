import { normaliser } from '../../normaliser.ts';
import { at, isOneOf, not } from '../../values.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';
import { planned } from '../plan-value.ts';

export const sagemakerEndpointConfig = normaliser({
  types: ['AWS::SageMaker::EndpointConfig'],
  source: 'Amazon SageMaker API Reference, API version 2017-07-24',
  attributes: kmsKeyAttributes(' for the storage volumes of the instances'),
  arguments: {
    KmsKeyId: 'kms_key_arn',
  },
  from: {
    cloudformation: ({ properties }, related) => kmsKey(at(properties, 'KmsKeyId'), related),
    terraform: ({ properties }, related) => kmsKey(planned(properties, 'kms_key_arn'), related),
  },
});

export const sagemakerNotebookInstance = normaliser({
  types: ['AWS::SageMaker::NotebookInstance'],
  source: 'Amazon SageMaker API Reference, API version 2017-07-24',
  attributes: {
    ...kmsKeyAttributes(' for the storage volume'),
    direct_internet_access: {
      type: 'bool',
      meaning: 'the notebook instance has direct internet access that bypasses the VPC',
      absent: true,
    },
  },
  arguments: {
    DirectInternetAccess: 'direct_internet_access',
    KmsKeyId: 'kms_key_id',
    SubnetId: 'subnet_id',
  },
  from: {
    cloudformation: ({ properties }, related) => ({
      ...kmsKey(at(properties, 'KmsKeyId'), related),
      direct_internet_access: isDirect(at(properties, 'DirectInternetAccess')),
    }),
    terraform: ({ properties }, related) => ({
      ...kmsKey(planned(properties, 'kms_key_id'), related),
      direct_internet_access: isDirect(planned(properties, 'direct_internet_access')),
    }),
  },
});

const isDirect = (value: unknown) => not(isOneOf(value, 'Disabled'));
