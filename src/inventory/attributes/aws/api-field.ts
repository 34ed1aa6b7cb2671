import { atAnyCase } from '../values.ts';

/**
 * A field by a path of CloudFormation's names. AWS Config spells the same names otherwise, and not always in one way
 * (`dBInstanceClass`, `dbclusterIdentifier`), so case does not count.
 */
export const field = atAnyCase;
