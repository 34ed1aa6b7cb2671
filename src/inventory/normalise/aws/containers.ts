import type { Normaliser } from '../normaliser.ts';
import { batchJobDefinition } from './containers/batch-job-definition.ts';
import { codebuildProject } from './containers/codebuild-project.ts';
import { ecrRepository } from './containers/ecr-repository.ts';
import { ecsTaskDefinition } from './containers/ecs-task-definition.ts';
import { eksCluster } from './containers/eks-cluster.ts';

export const containers: readonly Normaliser[] = [
  batchJobDefinition,
  codebuildProject,
  ecrRepository,
  ecsTaskDefinition,
  eksCluster,
];
