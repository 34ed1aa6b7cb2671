import { own } from '../resolver.ts';
import type { Expansion } from './expansion.ts';
import type { Declared } from './written.ts';
import { base, locationOf, without } from './written.ts';

export function expandLayer(declared: Declared): Expansion {
  const { id, properties, attributes } = declared;
  const layer = base(declared, {
    ...without(properties, 'ContentUri', 'RetentionPolicy', 'PublishLambdaVersion'),
    LayerName: own(properties, 'LayerName') ?? id,
    Content: locationOf(own(properties, 'ContentUri') ?? '.', {
      bucket: 'S3Bucket',
      key: 'S3Key',
      version: 'S3ObjectVersion',
    }),
  });
  const DeletionPolicy =
    own(properties, 'RetentionPolicy') ?? own(attributes, 'DeletionPolicy') ?? 'Retain';
  return { made: [{ ...layer, attributes: { ...attributes, DeletionPolicy } }] };
}
