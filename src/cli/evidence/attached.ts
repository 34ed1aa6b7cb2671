import type * as z from 'zod';
import type { contract } from '../../contract/contract.ts';
import { showSize } from '../download/sizes.ts';
import type { Listed, OwnNoun } from '../objects/noun.ts';
import { feature } from './bundles.ts';

/** What a person attached to a control. */
export type Attached = z.output<typeof contract.evidence.getManual.response.body>;

const contentOf = ({ text, file }: Attached): string =>
  file ? `${file.name} (${showSize(file.size)})` : (text ?? '');

export const attachedColumns: Listed<Attached, never>['columns'] = ({ userName }) => [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'CONTROL', cell: ({ framework, control_id: control }) => `${framework}:${control}` },
  { title: 'CONTENT', cell: contentOf, shrinks: 'end' },
  { title: 'EXPIRES', cell: ({ expires }) => expires },
  { title: 'BY', cell: ({ created_by: by }) => userName(by), drops: 1 },
];

/** For `delete`, which also deletes bundles: `list` and `attach` are commands of their own. */
export const attachedEvidence: OwnNoun<Attached> = {
  one: 'evidence',
  many: 'pieces of evidence',
  feature,
  api: (client) => ({
    delete: (input, options) =>
      input.params.id.startsWith('evd_')
        ? client.evidence.delete(input, options)
        : client.evidence.deleteManual(input, options),
  }),
  list: { columns: attachedColumns },
  view: (attached) => ({ value: attached, human: () => '' }),
};
