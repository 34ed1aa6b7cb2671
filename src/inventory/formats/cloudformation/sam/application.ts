import { own } from '../resolver.ts';
import type { Expansion } from './expansion.ts';
import type { Declared } from './written.ts';
import { base, isMap, unknownPart, tagPairs, without } from './written.ts';

/** What a template of another file deploys is not known from this one. */
export function expandApplication(declared: Declared): Expansion {
  const { properties } = declared;
  const location = own(properties, 'Location');
  return {
    made: [
      base(declared, {
        ...without(properties, 'Location', 'Tags'),
        TemplateURL: isMap(location) ? unknownPart('the template of the application') : location,
        Tags: tagPairs(own(properties, 'Tags')),
      }),
    ],
  };
}
