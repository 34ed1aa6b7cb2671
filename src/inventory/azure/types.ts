/** `Microsoft.Sql/servers/databases` → `Azure::Sql::servers/databases`; another vendor's namespace is kept whole. */
export function azureType(type: string): string {
  const [namespace = '', ...types] = type.split('/');
  return `Azure::${namespace.replace(/^microsoft\./i, '')}::${types.join('/')}`;
}
