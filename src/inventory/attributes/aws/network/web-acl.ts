import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { text } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

const fromApi = ({ properties }: RawResource) => {
  const action = field(properties, 'DefaultAction');
  return {
    default_action: defaultAction(field(action, 'Type'), (name) => field(action, name)),
  };
};

/** A word in WAF Classic; in WAFv2 the name of the block that is there. */
function defaultAction(word: unknown, block: (name: 'Allow' | 'Block') => unknown) {
  const written = text(word);
  if (written !== undefined) return written;
  if (block('Block') !== undefined) return 'block';
  return block('Allow') === undefined ? undefined : 'allow';
}

export const webAcl = normaliser({
  types: ['AWS::WAF::WebACL', 'AWS::WAFRegional::WebACL', 'AWS::WAFv2::WebACL'],
  attributes: {
    default_action: {
      type: 'string',
      meaning: 'action for requests that match no rule: `allow`, `block` or `count`',
      spelling: ['allow', 'block', 'count'],
    },
  },
  arguments: {
    'DefaultAction.Type': 'default_action.type',
  },
  from: {
    cloudformation: fromApi,
    'aws-config': fromApi,
    terraform: ({ properties }) => ({
      default_action: defaultAction(planned(properties, 'default_action', 'type'), (name) => {
        const found = planned(properties, 'default_action', name.toLowerCase());
        return Array.isArray(found) && found.length === 0 ? undefined : found;
      }),
    }),
  },
});
