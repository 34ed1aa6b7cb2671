import type { LeftOut } from '../../inventory/model.ts';
import type { TextPlace } from '../../inventory/text/place.ts';

/** A resource that a template declares and does not deploy, as JSON has it. */
export interface PlacedLeftOut {
  readonly resource: string;
  readonly resource_type: string;
  readonly condition: string;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

export const placeLeftOut = (
  { address, type, condition }: LeftOut,
  file: string,
  place: Partial<TextPlace> = {},
): PlacedLeftOut => ({
  resource: address,
  resource_type: type,
  condition,
  file,
  ...place,
});
