import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { field } from '../api-field.ts';

const vpcOfFlowLog = ({ properties }: RawResource): unknown =>
  field(properties, 'ResourceId') ?? properties.vpc_id;

const flowLogs = (raw: RawResource, related: Related) => ({
  'flow_logs.enabled': related.referring(raw, 'AWS::EC2::FlowLog', vpcOfFlowLog).length > 0,
});

export const vpc = normaliser({
  types: ['AWS::EC2::VPC'],
  source: 'Amazon EC2 API Reference, API version 2016-11-15',
  attributes: {
    'flow_logs.enabled': {
      type: 'bool',
      meaning: 'an active flow log covers the VPC',
      absent: false,
    },
  },
  from: { cloudformation: flowLogs, terraform: flowLogs, 'aws-config': flowLogs },
});
