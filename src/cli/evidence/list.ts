import type { ListFlags } from '../flags/list-flags.ts';
import { evidenceSources } from '../../contract/evidence.ts';
import type { EvidenceItem } from '../../contract/evidence.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { Run } from '../context.ts';
import { parseMoment } from '../flags/moment.ts';
import { parseWords } from '../flags/parse-words.ts';
import { showList } from '../objects/list.ts';
import type { Column } from '../terminal/table.ts';
import { attachedColumns } from './attached.ts';
import { bundleColumns, feature } from './bundles.ts';
import { labelOf } from './label.ts';

interface ListOptions extends Pick<ListFlags, 'limit' | 'all'> {
  readonly args: readonly [framework?: string, control?: string];
  readonly source?: readonly string[];
  readonly since?: string;
  readonly bundles?: boolean;
  readonly attached?: boolean;
}

const creatorOf = ({ created_by: by }: { readonly created_by: string }): string => by;

const newestFirst = { sort_by: 'created_at', order: 'desc' } as const;

export const runList: Run<ListOptions> = async (context, options) => {
  checkOptions(options);
  const [framework, control] = options.args;
  const isFiltered = framework !== undefined;
  if (options.bundles) {
    return showList(context, options, {
      plural: 'bundles',
      feature,
      isFiltered,
      userOf: creatorOf,
      columns: bundleColumns,
      fetchPage: async (client, place) => {
        const query = { ...newestFirst, ...defined({ framework }), ...place };
        const { data, characters } = await client.evidence.bundles({ query });
        return { rows: data.bundles, pagination: data.pagination, characters };
      },
    });
  }
  const about = filterOf(framework, control);
  if (options.attached) {
    return showList(context, options, {
      plural: 'pieces of attached evidence',
      listName: 'manual',
      feature,
      isFiltered,
      userOf: creatorOf,
      columns: attachedColumns,
      fetchPage: async (client, place) => {
        const query = { ...newestFirst, ...about, ...place };
        const { data, characters } = await client.evidence.listManual({ query });
        return { rows: data.manual, pagination: data.pagination, characters };
      },
    });
  }
  const { source, since } = options;
  const filter = {
    ...about,
    ...defined({
      source: source && parseWords('--source', source, evidenceSources).join(','),
      since: since === undefined ? undefined : parseMoment('--since', since, context.world.now()),
    }),
  };
  return showList(context, options, {
    plural: 'pieces of evidence',
    listName: 'evidence',
    feature,
    columns: () => columns,
    fetchPage: async (client, place) => {
      const { data, characters } = await client.evidence.list({ query: { ...filter, ...place } });
      return { rows: data.evidence, pagination: data.pagination, characters };
    },
  });
};

/** `soc2`, `soc2 CC6.1` and `SOC2:CC6.1` as the API takes them. */
function filterOf(framework: string | undefined, control: string | undefined) {
  if (framework === undefined) return {};
  const isLabel = control !== undefined || framework.includes(':');
  return isLabel ? { control: labelOf(framework, control) } : { framework };
}

/** @throws GovctlError usage_error */
function checkOptions({ args, bundles, attached, source, since }: ListOptions): void {
  const [framework, control] = args;
  if (bundles && attached)
    throw new GovctlError('usage_error', 'Use either --bundles or --attached');
  if (framework === undefined && !bundles && !attached) {
    throw new GovctlError('usage_error', 'No framework given', {
      hint: 'Pass a framework such as soc2, a control such as SOC2:CC6.1, --bundles or --attached.',
    });
  }
  const flag = bundles ? '--bundles' : attached ? '--attached' : undefined;
  const beside = source ? '--source' : since === undefined ? undefined : '--since';
  if (flag !== undefined && beside !== undefined) {
    throw new GovctlError('usage_error', `Use either ${flag} or ${beside}`);
  }
  if (bundles && (control !== undefined || framework?.includes(':'))) {
    throw new GovctlError('usage_error', 'Bundles are filtered by framework, not by control');
  }
}

const columns: readonly Column<EvidenceItem>[] = [
  { title: 'CONTROL', cell: ({ control_id: id }) => id },
  { title: 'SOURCE', cell: ({ source }) => source },
  { title: 'SUMMARY', cell: ({ summary }) => summary, shrinks: 'end' },
  { title: 'AS OF', cell: ({ collected_at: at }) => utcMinute(at), drops: 1 },
  { title: 'SHA-256', cell: ({ sha256 }) => `${sha256.slice(0, 12)}…`, drops: 2 },
];
