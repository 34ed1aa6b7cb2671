import { defined } from '../../contract/defined.ts';
import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import { GovctlError, reword } from '../../contract/errors.ts';
import type { LiveDocument } from '../compare/live.ts';
import { readLive } from '../compare/live.ts';
import { loadConfig } from '../config.ts';
import type { Kind, KindName, LiveItem, LocalDocument, Secrets } from '../kinds/kind.ts';
import { isHidden } from '../kinds/kind.ts';
import { kinds } from '../kinds/kinds.ts';
import { budgetDocument } from '../kinds/budget.ts';
import { exemptionDocument } from '../kinds/exemption.ts';
import { frameworkDocument } from '../kinds/framework.ts';
import { policyDocument } from '../kinds/policy.ts';
import { scheduleDocument } from '../kinds/schedule.ts';
import type { Environment } from '../documents/variable.ts';
import type { LoadOptions, LoadedProject, Problem, ProjectConfig } from '../model.ts';
import { loadProject } from '../read/load.ts';
import { resolveWebhooks } from '../read/resolve-webhooks.ts';

/** The outside world of planning, as values. */
export interface Outside {
  /** How the files are read. */
  readonly reading: Pick<LoadOptions, 'cwd' | 'signal' | 'allowOutside'>;
  readonly env: Environment;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A client for the service, and its base URL. */
  readonly connect: (config: ProjectConfig) => Promise<Connection>;
  /** Receives the problems in the files before the wait for the service. @throws if any is an error */
  readonly refuseProblems: (problems: readonly Problem[]) => Promise<void>;
  readonly warn: (line: string) => Promise<void>;
  /** Receives the number of policies listed so far. */
  readonly onListed: (policies: number) => void;
}

interface Connection {
  readonly client: Client;
  readonly baseUrl: string;
}

/** The live objects of one kind. */
interface KindService {
  readonly isThere: boolean;
  /** Why it could not be read. */
  readonly failure?: unknown;
  /** Undefined: unknown because no object is live, or not needed. */
  readonly keepsTags: boolean | undefined;
}

interface Listing extends Connection {
  /** Of all kinds. */
  readonly live: readonly LiveDocument[];
  readonly service: Readonly<Record<KindName, KindService>>;
}

export interface Repo extends Listing {
  readonly project: LoadedProject;
  /** The project that owns what this repo applies. */
  readonly owner: string;
  /** All planned documents, of all kinds. */
  readonly documents: readonly LocalDocument[];
  readonly secrets: Secrets;
  /** The values of the variables that the files refer to. */
  readonly variables: ReadonlyMap<string, string>;
}

interface Demands {
  /** Checks the files before waiting for the service. */
  readonly check?: (project: LoadedProject) => void;
  /**
   * Documents, by their key, name or url, whose variables have to be set, and whose kind the service has to know of.
   * Default: none.
   */
  readonly needs?: (names: readonly (string | undefined)[]) => boolean;
}

/** Reads files and service at the same time. */
export async function readRepo(
  outside: Outside,
  paths: readonly string[],
  options: { readonly project?: string },
  { check = () => {}, needs = () => false }: Demands = {},
): Promise<Repo> {
  const { reading: how, env, now } = outside;
  const { config, problems } = loadConfig(how.cwd, how.allowOutside);
  // A broken govctl.yaml may name another service than the one that would be asked; it is refused below.
  const listing = problems.some(({ level }) => level === 'error')
    ? Promise.reject(new GovctlError('invalid_file', 'Invalid govctl.yaml'))
    : listLive(outside, config, async (kind) =>
        // Asked once a list is there, which is after the reading of the files began.
        isInFiles(await reading, kind),
      );
  // What is wrong in the files is said first; the listing's own failure may wait, or never be asked for.
  listing.catch(() => {});
  const reading = loadProject({
    ...how,
    paths,
    now: now(),
    withoutTests: true,
    ...defined({ project: options.project }),
  });
  const project = await reading;
  const webhooks = resolveWebhooks(project.webhooks, env, ({ key, webhook }) =>
    needs([key, webhook.name, webhook.url]),
  );
  await outside.refuseProblems([...project.problems, ...webhooks.problems]);
  const owner = project.config.project;
  if (owner === undefined) {
    throw new GovctlError('usage_error', 'No project set, so ownership is unknown', {
      hint: 'Set `project: NAME` in govctl.yaml (`govctl init` creates the file), or use --project NAME.',
    });
  }
  check(project);
  const listed = await listing;
  const documents = [...documentsOf(project, now()), ...webhooks.documents];
  // Every server creates schedules, but without a list each plan would create them again.
  const isLeftOut = ({ isOurs, name }: Kind): boolean =>
    (isOurs || name === 'Schedule') && !listed.service[name].isThere;
  for (const kind of kinds) {
    const local = documents.filter((each) => each.kind === kind);
    const warning = isLeftOut(kind)
      ? sayLeftOut(kind, local.length)
      : judgeKind(kind, listed.service[kind.name], local, (document) => needs(namesOf(document)));
    if (warning !== undefined) await outside.warn(warning);
  }
  const { secrets, variables } = webhooks;
  const planned = documents.filter(({ kind }) => !isLeftOut(kind));
  return { project, owner, documents: planned, secrets, variables, ...listed };
}

/** The documents of a project, but webhooks, whose variables have to be resolved first. */
export const documentsOf = (project: LoadedProject, now: number): LocalDocument[] => [
  ...project.policies.map(policyDocument),
  ...project.schedules.map(scheduleDocument),
  ...project.exemptions.map((exemption) => exemptionDocument(exemption, now)),
  ...project.frameworks.map(frameworkDocument),
  ...project.budgets.map(budgetDocument),
];

/** The names by which a flag may refer to a document. */
const namesOf = ({ kind, key, written }: LocalDocument): (string | undefined)[] => [
  key,
  kind.titleOf(written),
  typeof written.url === 'string' ? written.url : undefined,
];

const isInFiles = (project: LoadedProject, { name }: Kind): boolean =>
  ({
    Policy: true,
    Webhook: project.webhooks.length > 0,
    Schedule: project.schedules.length > 0,
    Exemption: project.exemptions.length > 0,
    Framework: project.frameworks.length > 0,
    Budget: project.budgets.length > 0,
  })[name];

/** Undefined: there is none of this kind in the files. */
function sayLeftOut({ noun, name }: Kind, documents: number): string | undefined {
  if (documents === 0) return undefined;
  const what = documents === 1 ? `1 ${name} document` : `${documents} ${name} documents`;
  const lacks = name === 'Schedule' ? 'list' : 'support';
  return `This server does not ${lacks} ${noun.many}; skipped ${what}, which ${documents === 1 ? 'requires' : 'require'} a govctl server.`;
}

/** Whether the files have any of a kind. */
type IsInFiles = (kind: Kind) => Promise<boolean>;

async function listLive(
  { connect, onListed }: Outside,
  config: ProjectConfig,
  isInFiles: IsInFiles,
): Promise<Listing> {
  const { client, baseUrl } = await connect(config);
  const listed = await Promise.all(
    kinds.map(async (kind) => {
      const { items, ...service } = await listKind(client, kind, isInFiles, onListed);
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
  isInFiles: IsInFiles,
  onListed: Outside['onListed'],
): Promise<KindService & { readonly items: readonly LiveItem[] }> {
  const items: LiveItem[] = [];
  try {
    for await (const item of listAll(client, kind.objects)) {
      items.push(item);
      if (kind.name === 'Policy' && items.length % 100 === 0) onListed(items.length);
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

/**
 * Files without any of a kind can be planned with a service whose own of it can't be read: the line that warns of it.
 * @throws where the files have some
 */
function judgeKind(
  kind: Kind,
  { isThere, failure }: KindService,
  local: readonly LocalDocument[],
  isNeeded: (document: LocalDocument) => boolean,
): string | undefined {
  const { one, many } = kind.noun;
  if (!isThere) refuseUnknown(many, local.filter(isNeeded));
  if (failure === undefined) return undefined;
  const [first] = local;
  if (first && failure instanceof GovctlError && failure.error === 'insufficient_scope') {
    const { file, line } = first.place;
    throw reword(failure, {
      message: `${failure.message}. It is for the ${one} in ${file}:${line}`,
    });
  }
  if (first) throw failure;
  if (isHidden(kind, failure)) return undefined;
  const why = failure instanceof Error ? failure.message : String(failure);
  return `Skipped ${many}, because this server did not list them: ${why}`;
}

function refuseUnknown(many: string, documents: readonly LocalDocument[]): void {
  const [first] = documents;
  if (!first) return;
  const { file, line } = first.place;
  throw new GovctlError(
    'not_found',
    `This server does not support ${many}, but the files contain ${first.key} (${file}:${line})${documents.length > 1 ? ` and ${documents.length - 1} more` : ''}`,
    { hint: 'Use --exclude, or move them to a directory that is not applied to this server.' },
  );
}
