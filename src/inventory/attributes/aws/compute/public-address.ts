import type { RawResource } from '../../../model.ts';
import type { Related } from '../../related.ts';
import { flag, isUnknown, list, or, some } from '../../values.ts';
import { field } from '../api-field.ts';
import { addressOfSubnet } from '../network/subnet.ts';
import { planned } from '../plan-value.ts';

/** Whether an interface asks for a public address; undefined where none says anything: then the subnet decides. */
export function asksForAddress(interfaces: unknown, said: (one: unknown) => unknown) {
  const items = list(interfaces);
  if (isUnknown(items)) return items;
  return items.every((one) => said(one) === undefined)
    ? undefined
    : some(items, (one) => flag(said(one)));
}

/**
 * What the subnets give of the Auto Scaling groups that start instances by a template or configuration.
 *
 * @param startsBy what a group starts instances by
 * @returns undefined if there are no such groups in the input
 */
export function addressOfGroups(
  raw: RawResource,
  related: Related,
  startsBy: (group: RawResource) => unknown,
) {
  const groups = related.referring(raw, 'AWS::AutoScaling::AutoScalingGroup', startsBy);
  if (groups.length === 0) return undefined;
  return or(
    ...groups.map(({ properties }) => {
      const subnets = list(
        field(properties, 'VPCZoneIdentifier') ?? planned(properties, 'vpc_zone_identifier'),
      );
      if (isUnknown(subnets)) return subnets;
      if (subnets.length === 0) return addressOfSubnet(undefined, related);
      return or(...subnets.map((subnet) => addressOfSubnet(subnet, related)));
    }),
  );
}
