import { analytics } from './aws/analytics.ts';
import { compute } from './aws/compute.ts';
import { containers } from './aws/containers.ts';
import { database } from './aws/database.ts';
import { identity } from './aws/identity.ts';
import { keys } from './aws/keys.ts';
import { logging } from './aws/logging.ts';
import { messaging } from './aws/messaging.ts';
import { network } from './aws/network.ts';
import { search } from './aws/search.ts';
import { serverless } from './aws/serverless.ts';
import { storage } from './aws/storage.ts';
import { azure } from './azure/azure.ts';
import { gcp } from './gcp/gcp.ts';
import type { Normaliser } from './normaliser.ts';

/** Every type with well-known attributes. The documentation's table is made of this. */
export const normalisers: readonly Normaliser[] = [
  ...storage,
  ...identity,
  ...keys,
  ...messaging,
  ...logging,
  ...compute,
  ...database,
  ...network,
  ...serverless,
  ...containers,
  ...search,
  ...analytics,
  ...azure,
  ...gcp,
];
