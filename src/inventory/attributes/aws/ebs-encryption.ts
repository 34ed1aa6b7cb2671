import { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource } from '../../model.ts';
import type { Related } from '../related.ts';
import { flag, isSet } from '../values.ts';
import { planned } from './plan-value.ts';

/** The document about `isEncrypted`. */
export const encryptedByDefault =
  'Amazon EBS User Guide, Amazon EBS encryption, API version 2016-11-15: off, unless the snapshot is encrypted or the account does so by default in the region, which only a Terraform plan can show (aws_ebs_encryption_by_default)';

/** Whether a volume is encrypted: as it says itself, as the account does by default, or as its snapshot is. */
export function isEncrypted(
  encrypted: unknown,
  snapshot: unknown,
  { region }: RawResource,
  related: Related,
) {
  const given = flag(encrypted);
  if (given !== undefined) return given;
  const ofRegion = related
    .ofType('AWS::EC2::EncryptionByDefault')
    .find((setting) => typeof region === 'string' && setting.region === region);
  if (ofRegion && (flag(planned(ofRegion.properties, 'enabled')) ?? true) === true) return true;
  return isSet(snapshot) === false ? false : ofSnapshot;
}

const ofSnapshot = new UnknownValue('whether the snapshot of a volume is encrypted', {
  present: false,
});
