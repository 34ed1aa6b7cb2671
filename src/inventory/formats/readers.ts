import { awsConfig } from './aws-config/reader.ts';
import { azure } from './azure/reader.ts';
import { cloudformation } from './cloudformation/reader.ts';
import { gcp } from './gcp/reader.ts';
import type { Reader } from '../model.ts';
import { native } from './native/reader.ts';
import { terraform } from './terraform/reader.ts';

/**
 * Every format. The first that detects a document reads it. AWS Config comes last: it looks inside of what it doesn't know,
 * and `configuration` is a property of other providers' resources, too.
 */
export const readers: readonly Reader[] = [
  cloudformation,
  terraform,
  gcp,
  azure,
  native,
  awsConfig,
];
