import { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource } from '../../model.ts';
import type { Related } from '../related.ts';
import { and, flag, isSet, isUnknown, or } from '../values.ts';
import { planned } from './plan-value.ts';

/** The document about `isEncrypted`. */
export const encryptedByDefault =
  'Amazon EBS User Guide, Amazon EBS encryption, API version 2016-11-15: off, unless the snapshot is encrypted or encryption by default is on in the region, which only a Terraform plan can show (aws_ebs_encryption_by_default)';

/** Whether a volume is encrypted: as it says itself, as the account does by default, or as its snapshot is. */
export function isEncrypted(
  encrypted: unknown,
  snapshot: unknown,
  raw: RawResource,
  related: Related,
) {
  const given = flag(encrypted);
  if (given !== undefined) return given;
  const byDefault = or(
    ...related
      .ofType('AWS::EC2::EncryptionByDefault')
      .map((setting) =>
        and(
          isSame(setting.region, raw.region),
          isSame(setting.account_id, raw.account_id),
          flag(planned(setting.properties, 'enabled')) ?? true,
        ),
      ),
  );
  if (byDefault !== false) return byDefault;
  return isSet(snapshot) === false ? false : ofSnapshot;
}

const ofSnapshot = new UnknownValue('whether the snapshot of a volume is encrypted', {
  present: false,
});

/** Whether two are one, such as two accounts: also where they are unknown, but given by the same expression. */
function isSame(a: RawResource['region'], b: RawResource['region']): boolean | UnknownValue {
  if (isUnknown(a)) return isUnknown(b) && a.expression === b.expression ? true : a;
  return isUnknown(b) ? b : a !== undefined && a === b;
}
