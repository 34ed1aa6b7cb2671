/**
 * The type that policies know an asset type by: `sqladmin.googleapis.com/Instance` is `GCP::Sqladmin::Instance`, another
 * host is kept whole. Exports of before 2019 write `google.compute.Firewall`.
 */
export function assetType(type: string): string {
  const slash = type.indexOf('/');
  if (slash < 0) {
    const [, ...parts] = type.split('.');
    const last = parts.pop() ?? type;
    return `GCP::${capital(parts.join(''))}::${last}`;
  }
  const host = type.slice(0, slash).replace(/\.googleapis\.com$/, '');
  return `GCP::${capital(host)}::${type.slice(slash + 1)}`;
}

/** The type of what an API answers with: `compute#firewall` is `GCP::Compute::Firewall`. */
export function kindType(kind: string): string | undefined {
  const [service = '', type = '', ...rest] = kind.split('#');
  if (service === '' || type === '' || rest.length > 0) return undefined;
  return `GCP::${service === 'sql' ? 'Sqladmin' : capital(service)}::${capital(type)}`;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
