import { defined } from '../../contract/defined.ts';
import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { LiveDocument } from '../../project/compare/live.ts';
import { readLive } from '../../project/compare/live.ts';
import { loadConfig } from '../../project/config.ts';
import type { Kind, KindName, LiveItem, LocalDocument, Secrets } from '../../project/kinds/kind.ts';
import { kinds } from '../../project/kinds/kinds.ts';
import { policyDocument } from '../../project/kinds/policy.ts';
import { scheduleDocument, scheduleKind } from '../../project/kinds/schedule.ts';
import { webhookKind } from '../../project/kinds/webhook.ts';
import type { LoadedProject, Problem } from '../../project/model.ts';
import { loadProject } from '../../project/read/load.ts';
import { resolveWebhooks } from '../../project/read/resolve-webhooks.ts';
import { connect } from '../objects/connect.ts';
import type { Context } from '../context.ts';
import { fromWorkspace, renderGithub } from '../formats/github.ts';
import { renderMarkdown } from '../formats/markdown.ts';
import { count } from '../terminal/printable.ts';
import { renderProblems } from '../formats/problems-text.ts';

/** What a service has of one kind. */
interface KindService {
  readonly isThere: boolean;
  /** Why it could not be read. */
  readonly failure?: unknown;
  /** Undefined: nothing is live to tell it by, or nobody needs to know. */
  readonly keepsTags: boolean | undefined;
}

interface Listing {
  readonly client: Client;
  readonly baseUrl: string;
  /** Of all kinds. */
  readonly live: readonly LiveDocument[];
  readonly service: Readonly<Record<KindName, KindService>>;
}

export interface Repo extends Listing {
  readonly project: LoadedProject;
  /** The owner of what this repo applies. */
  readonly owner: string;
  /** All that is planned, of all kinds. */
  readonly documents: readonly LocalDocument[];
  readonly secrets: Secrets;
  /** The values of the variables that the files name. */
  readonly variables: ReadonlyMap<string, string>;
}

interface Demands {
  /** Looks at the files before anything is waited for. */
  readonly check?: (project: LoadedProject) => void;
  /**
   * Documents, by their key, name or url, whose variables have to be set, and whose kind the service has to know of.
   * Default: none.
   */
  readonly needs?: (names: readonly (string | undefined)[]) => boolean;
}

/** Reads files and service at the same time. */
export async function readRepo(
  context: Context,
  paths: readonly string[],
  options: { readonly project?: string },
  { check = () => {}, needs = () => false }: Demands = {},
): Promise<Repo> {
  const { cwd, env, now } = context.world;
  return context.progress('Reading files and the service', async (update) => {
    const { config, problems } = loadConfig(cwd);
    // A broken govctl.yaml may name another service than the one that would be asked; it is refused below.
    const listing = problems.some(({ level }) => level === 'error')
      ? Promise.reject(new GovctlError('invalid_file', 'govctl.yaml is not valid'))
      : listLive(context, config.base_url, {
          // Asked once a list is there, which is after the reading of the files began.
          isInFiles: async (kind) => isInFiles(await reading, kind),
          onPage: (amount) => update(`Reading the service: ${count(amount, 'policy', 'policies')}`),
        });
    // What is wrong in the files is said first; the listing's own failure may wait, or never be asked for.
    listing.catch(() => {});
    const reading = loadProject({
      cwd,
      paths,
      now: now(),
      ...defined({ project: options.project }),
    });
    const project = await reading;
    const webhooks = resolveWebhooks(project.webhooks, env, ({ key, webhook }) =>
      needs([key, webhook.name, webhook.url]),
    );
    await refuseProblems(context, [...project.problems, ...webhooks.problems]);
    const owner = project.config.project;
    if (owner === undefined) {
      throw new GovctlError(
        'usage_error',
        'No project is named, so whose policies these are is not known',
        {
          hint: 'Write `project: NAME` into govctl.yaml (`govctl init` makes one), or give --project NAME.',
        },
      );
    }
    check(project);
    const listed = await listing;
    const schedules = project.schedules.map(scheduleDocument);
    const { service } = listed;
    const isNeeded = (document: LocalDocument): boolean => needs(namesOf(document));
    await judge(context, service.Webhook, webhookKind, webhooks.documents, isNeeded);
    await judge(context, service.Schedule, scheduleKind, schedules, isNeeded);
    const documents = [
      ...project.policies.map(policyDocument),
      ...webhooks.documents,
      ...schedules,
    ];
    const { secrets, variables } = webhooks;
    return { project, owner, documents, secrets, variables, ...listed };
  });
}

/** What a flag may call a document. */
const namesOf = ({ kind, key, written }: LocalDocument): (string | undefined)[] => [
  key,
  kind.titleOf(written),
  typeof written.url === 'string' ? written.url : undefined,
];

function isInFiles({ webhooks, schedules }: LoadedProject, { name }: Kind): boolean {
  return { Policy: true, Webhook: webhooks.length > 0, Schedule: schedules.length > 0 }[name];
}

/** What listing a service asks and tells. */
interface Watch {
  /** Whether the files have any of a kind. */
  readonly isInFiles: (kind: Kind) => Promise<boolean>;
  readonly onPage: (amount: number) => void;
}

async function listLive(
  context: Context,
  projectBaseUrl: string | undefined,
  watch: Watch,
): Promise<Listing> {
  const { client, baseUrl } = await connect(context, projectBaseUrl);
  const listed = await Promise.all(
    kinds.map(async (kind) => {
      const { items, ...service } = await listKind(client, kind, watch);
      const live = items.map((item) => readLive(kind, item));
      return { live, service: [kind.name, service] as const };
    }),
  );
  return {
    client,
    baseUrl,
    live: listed.flatMap(({ live }) => live),
    // One for each of the kinds.
    service: Object.fromEntries(listed.map(({ service }) => service)) as Listing['service'],
  };
}

/** Policies every service has; of others the files may know nothing either, so what fails is judged with them. */
async function listKind(
  client: Client,
  kind: Kind,
  { isInFiles, onPage }: Watch,
): Promise<KindService & { readonly items: readonly LiveItem[] }> {
  const items: LiveItem[] = [];
  try {
    for await (const item of listAll(client, kind.objects)) {
      items.push(item);
      if (kind.name === 'Policy' && items.length % 100 === 0) onPage(items.length);
    }
    // That takes another request, whose answer changes nothing where the files have none.
    const keepsTags = (await isInFiles(kind)) ? await kind.keepsTags(client, items) : undefined;
    return { items, isThere: true, keepsTags };
  } catch (failure) {
    if (kind.name === 'Policy') throw failure;
    const none = { items: [], keepsTags: undefined };
    return kind.isMissing(failure)
      ? { ...none, isThere: false }
      : { ...none, isThere: true, failure };
  }
}

/** Files without any of a kind can be planned with a service whose own of it can't be read. */
async function judge(
  context: Context,
  service: KindService,
  { noun }: Kind,
  local: readonly LocalDocument[],
  isNeeded: (document: LocalDocument) => boolean,
): Promise<void> {
  const { isThere, failure } = service;
  if (!isThere) refuseUnknown(noun.many, local.filter(isNeeded));
  if (failure === undefined) return;
  if (local.length > 0) throw failure;
  const why = failure instanceof Error ? failure.message : String(failure);
  await context.warn(`The ${noun.many} of this server were not looked at: ${why}`);
}

function refuseUnknown(many: string, documents: readonly LocalDocument[]): void {
  const [first] = documents;
  if (!first) return;
  const { file, line } = first.place;
  const has = many === 'schedules' ? 'has no schedules that can be looked at' : `has no ${many}`;
  throw new GovctlError(
    'not_found',
    `This server ${has}, but the files do: ${first.key} (${file}:${line})${documents.length > 1 ? ` and ${documents.length - 1} more` : ''}`,
    { hint: 'Leave them out with --exclude, or keep them in a folder that is not applied here.' },
  );
}

/** Shows what is wrong as `validate` does. @throws GovctlError invalid_file when any of it is an error */
async function refuseProblems(context: Context, problems: readonly Problem[]): Promise<void> {
  const errors = problems.filter(({ level }) => level === 'error');
  if (errors.length === 0) {
    if (problems.length > 0) {
      await context.say(
        `${count(problems.length, 'warning')} in the files; \`govctl validate\` shows ${problems.length === 1 ? 'it' : 'them'}.`,
      );
    }
    return;
  }
  const { cwd, env } = context.world;
  const files = new Set(errors.map(({ file }) => file)).size;
  const verdict = `${count(errors.length, 'error')} in ${count(files, 'file')}; nothing was planned`;
  await context.show({
    value: { problems },
    rows: () => problems,
    human: (style, columns) => `${renderProblems(problems, style, columns)}\n`,
    more: {
      github: () => renderGithub(fromWorkspace(problems, cwd, env)),
      markdown: () => renderMarkdown('govctl', verdict, problems),
    },
  });
  throw new GovctlError('invalid_file', verdict);
}
