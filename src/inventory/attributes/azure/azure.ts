import type { Normaliser } from '../normaliser.ts';
import { roleAssignments, roleDefinitions } from './authorization.ts';
import { disks, machineExtensions, scaleSets, virtualMachines } from './compute.ts';
import { containerRunners, managedClusters, registries } from './containers.ts';
import { cosmosAccounts, flexibleServers, serverParameters, singleServers } from './database.ts';
import { keyVaultAccessPolicies, keyVaultKeys, keyVaults } from './key-vault.ts';
import {
  activityLogAlerts,
  diagnosticSettings,
  logProfiles,
  logWorkspaces,
  messagingNamespaces,
} from './operations.ts';
import { networkSecurityGroups, networkSecurityRules } from './network-security-groups.ts';
import { applicationGateways, flowLogs } from './network.ts';
import {
  auditingSettings,
  databaseEncryption,
  entraOnly,
  firewallRules,
  sqlDatabases,
  sqlServers,
} from './sql.ts';
import { accountNetworkRules, blobContainers, blobServices, storageAccounts } from './storage.ts';
import { webSiteConfigs, webSites } from './web-sites.ts';

export const azure: readonly Normaliser[] = [
  roleAssignments,
  roleDefinitions,
  disks,
  virtualMachines,
  scaleSets,
  machineExtensions,
  registries,
  managedClusters,
  containerRunners,
  ...flexibleServers,
  ...serverParameters,
  singleServers,
  cosmosAccounts,
  keyVaults,
  keyVaultAccessPolicies,
  keyVaultKeys,
  applicationGateways,
  networkSecurityGroups,
  networkSecurityRules,
  flowLogs,
  activityLogAlerts,
  diagnosticSettings,
  logProfiles,
  logWorkspaces,
  ...messagingNamespaces,
  sqlServers,
  entraOnly,
  sqlDatabases,
  databaseEncryption,
  firewallRules,
  auditingSettings,
  storageAccounts,
  blobServices,
  blobContainers,
  accountNetworkRules,
  webSites,
  webSiteConfigs,
];
