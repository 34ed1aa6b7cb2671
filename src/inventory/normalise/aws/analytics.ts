import type { Normaliser } from '../normaliser.ts';
import { emrCluster, emrSecurityConfiguration } from './analytics/emr.ts';
import { sagemakerEndpointConfig, sagemakerNotebookInstance } from './analytics/sagemaker.ts';

export const analytics: readonly Normaliser[] = [
  emrCluster,
  emrSecurityConfiguration,
  sagemakerEndpointConfig,
  sagemakerNotebookInstance,
];
