import type { Normaliser } from '../normaliser.ts';
import { autoScalingGroup } from './compute/auto-scaling-group.ts';
import { ec2Instance } from './compute/ec2-instance.ts';
import { gameliftFleet } from './compute/gamelift-fleet.ts';
import { launchConfiguration } from './compute/launch-configuration.ts';
import { launchTemplate } from './compute/launch-template.ts';
import { workspacesWorkspace } from './compute/workspaces-workspace.ts';

export const compute: readonly Normaliser[] = [
  autoScalingGroup,
  launchConfiguration,
  ec2Instance,
  gameliftFleet,
  launchTemplate,
  workspacesWorkspace,
];
