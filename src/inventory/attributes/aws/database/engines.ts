/**
 * Engines of RDS: "CreateDBInstance" and "CreateDBCluster", Amazon RDS API Reference, API version 2014-10-31, with those
 * that it had before, and the two that other services of Amazon run on it. Of another word, nothing is known.
 */
export const rdsEngines = [
  ...['aurora', 'aurora-mysql', 'aurora-postgresql', 'mariadb', 'mysql', 'postgres'],
  ...['db2-ae', 'db2-se'],
  ...['oracle-ee', 'oracle-ee-cdb', 'oracle-se', 'oracle-se1', 'oracle-se2', 'oracle-se2-cdb'],
  ...['sqlserver-ee', 'sqlserver-se', 'sqlserver-ex', 'sqlserver-web', 'sqlserver-dev-ee'],
  ...['custom-oracle-ee', 'custom-oracle-ee-cdb', 'custom-oracle-se2', 'custom-oracle-se2-cdb'],
  ...['custom-sqlserver-ee', 'custom-sqlserver-se', 'custom-sqlserver-web', 'custom-sqlserver-dev'],
  ...['docdb', 'neptune'],
];
