import type { Normaliser } from '../normaliser.ts';
import { cloudfrontDistribution } from './network/cloudfront-distribution.ts';
import { elbLoadBalancer } from './network/elb-load-balancer.ts';
import { elbv2Listener } from './network/elbv2-listener.ts';
import { elbv2LoadBalancer } from './network/elbv2-load-balancer.ts';
import { networkAclEntry } from './network/network-acl-entry.ts';
import { route } from './network/route.ts';
import { securityGroup } from './network/security-group.ts';
import { securityGroupRule } from './network/security-group-rule.ts';
import { subnet } from './network/subnet.ts';
import { vpc } from './network/vpc.ts';
import { webAcl } from './network/web-acl.ts';

export const network: readonly Normaliser[] = [
  cloudfrontDistribution,
  elbLoadBalancer,
  elbv2Listener,
  elbv2LoadBalancer,
  networkAclEntry,
  route,
  securityGroup,
  securityGroupRule,
  subnet,
  vpc,
  webAcl,
];
