import { aws } from './aws/aws.ts';
import { azure } from './azure/azure.ts';
import { gcp } from './gcp/gcp.ts';
import type { Normaliser } from './normaliser.ts';

/** Every type with well-known attributes. The documentation's table is made of this. */
export const normalisers: readonly Normaliser[] = [...aws, ...azure, ...gcp];
