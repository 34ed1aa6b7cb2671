import type { Normaliser } from '../normaliser.ts';
import { daxCluster } from './database/dax-cluster.ts';
import { dmsEndpoint } from './database/dms-endpoint.ts';
import { dmsReplicationInstance } from './database/dms-replication-instance.ts';
import { dynamodbTable } from './database/dynamodb-table.ts';
import { elasticacheReplicationGroup } from './database/elasticache-replication-group.ts';
import { rdsDbCluster } from './database/rds-db-cluster.ts';
import { rdsDbInstance } from './database/rds-db-instance.ts';
import { redshiftCluster } from './database/redshift-cluster.ts';

export const database: readonly Normaliser[] = [
  daxCluster,
  dmsEndpoint,
  dmsReplicationInstance,
  dynamodbTable,
  elasticacheReplicationGroup,
  rdsDbCluster,
  rdsDbInstance,
  redshiftCluster,
];
