import { azureTypes } from '../terraform/azure-types.ts';

/** Parts that are joined into their resource and have no Terraform type of the same shape. */
const parts = [
  'Azure::Network::networkInterfaces/ipConfigurations',
  'Azure::Sql::servers/auditingSettings',
  'Azure::Sql::servers/azureADOnlyAuthentications',
  'Azure::Sql::servers/ipv6FirewallRules',
  'Azure::Sql::servers/databases/transparentDataEncryption',
  'Azure::Storage::storageAccounts/blobServices',
  'Azure::KeyVault::vaults/keys/rotationPolicies',
  'Azure::Web::sites/config',
];

/** Azure's documents differ in case; joins between resources need one spelling. */
const spellings = new Map(
  [...Object.values(azureTypes), ...parts].map((type) => [type.toLowerCase(), type]),
);

/** `Microsoft.Sql/servers/databases` → `Azure::Sql::servers/databases`; another vendor's namespace is kept whole. */
export function azureType(type: string): string {
  const [namespace = '', ...types] = type.split('/');
  const read = `Azure::${namespace.replace(/^microsoft\./i, '')}::${types.join('/')}`;
  return spellings.get(read.toLowerCase()) ?? read;
}
