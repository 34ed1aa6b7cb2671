import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { hasItems, isUnknown, or, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

const fromApi = ({ properties }: RawResource) => ({
  load_balanced: or(
    hasItems(field(properties, 'LoadBalancerNames')),
    hasItems(field(properties, 'TargetGroupARNs')),
    hasItems(field(properties, 'TrafficSources')),
  ),
  health_check_types: checkTypes(field(properties, 'HealthCheckType')),
});

const groupOfAttachment = ({ properties }: RawResource): unknown =>
  properties.autoscaling_group_name;

/** Several are written as one text: `EBS,ELB`. */
function checkTypes(value: unknown) {
  const written = text(value);
  if (written === undefined || isUnknown(written)) return written;
  return written.split(',').map((one) => one.trim().toUpperCase());
}

export const autoScalingGroup = normaliser({
  types: ['AWS::AutoScaling::AutoScalingGroup'],
  source: 'Amazon EC2 Auto Scaling API Reference, API version 2011-01-01',
  attributes: {
    load_balanced: {
      type: 'bool',
      meaning: 'instances are registered with a load balancer or a target group',
      absent: false,
    },
    health_check_types: {
      type: 'list<string>',
      spelling: 'upper',
      meaning: 'health check types of the group: `EC2`, `ELB`, `EBS` or `VPC_LATTICE`',
      absent: ['EC2'],
    },
  },
  arguments: {
    HealthCheckType: 'health_check_type',
  },
  from: {
    cloudformation: fromApi,
    'aws-config': fromApi,
    terraform: (raw, related) => ({
      load_balanced: or(
        hasItems(planned(raw.properties, 'load_balancers')),
        hasItems(planned(raw.properties, 'target_group_arns')),
        hasItems(planned(raw.properties, 'traffic_source')),
        related.referring(raw, 'AWS::AutoScaling::Attachment', groupOfAttachment).length > 0,
      ),
      health_check_types: checkTypes(planned(raw.properties, 'health_check_type')),
    }),
  },
});
