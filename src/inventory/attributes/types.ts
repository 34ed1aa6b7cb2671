import { aws } from './aws/aws.ts';
import { azure } from './azure/azure.ts';
import { withEnvironmentSecrets } from './environment-secrets.ts';
import { gcp } from './gcp/gcp.ts';
import type { Normaliser } from './normaliser.ts';
import { withPlaintextSecrets } from './plaintext-secrets.ts';

/** Every type with well-known attributes. The documentation's table is made of this. */
export const normalisers: readonly Normaliser[] = withPlaintextSecrets(
  withEnvironmentSecrets([...aws, ...azure, ...gcp]),
);
