import { GovctlError } from '../../contract/errors.ts';
import type { ErrorDetail } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { stampOf } from '../compare/fingerprint.ts';
import type { LiveDocument } from '../compare/live.ts';
import { ownershipTags, withoutOwnership } from '../compare/ownership.ts';
import type { Kind, KindName, LocalDocument } from '../kinds/kind.ts';
import { contentHash, documentOf, kindField, withArticle } from '../kinds/kind.ts';
import { ofEachKind } from '../kinds/kinds.ts';
import type { Change } from './change.ts';
import { baseOf } from './change.ts';
import type { Plan } from './plan.ts';
import { sealPlan } from './plan.ts';
import type { Repo } from './read-repo.ts';

export interface Adoption {
  readonly plan: Plan;
  /** Number of unowned live objects without a file; they are not changed. */
  readonly withoutFile: Readonly<Record<KindName, number>>;
}

/** The local document that would adopt a live object, by name or URL. */
type FileOf = (live: LiveDocument) => LocalDocument | undefined;

/**
 * Plans the adoption of live objects that belong to no project: only their tags change. The fingerprint is that of the
 * live object, so the next plan shows differences from the files as changes from git.
 * @param wanted names, urls, ids, or keys of files; empty: every unowned one whose name, or url, a file has
 * @throws GovctlError ownership_conflict for an object of another project, usage_error if it cannot be adopted
 */
export function planAdoption(
  wanted: readonly string[],
  repo: Pick<Repo, 'owner' | 'baseUrl' | 'documents' | 'live' | 'service'>,
  now: number,
): Adoption {
  const { owner: project, baseUrl, documents: local } = repo;
  const live = adoptable(repo, wanted);
  const placeIn = (kind: Kind, identity: string): string => `${kind.name} ${identity}`;
  const byIdentity = new Map(
    local.map((mine) => [placeIn(mine.kind, mine.kind.identityOf(mine.body)), mine]),
  );
  const fileOf: FileOf = ({ kind, identity }) => byIdentity.get(placeIn(kind, identity));
  const unowned = live.filter(
    ({ ownership }) => ownership.owner === undefined && !ownership.disputed,
  );
  const picked =
    wanted.length === 0
      ? unowned.filter((target) => fileOf(target) !== undefined)
      : pickWanted(wanted, fileOf, live, project);
  refuseDoubles(picked);
  const changes = picked.flatMap((target) => {
    const mine = fileOf(target);
    return mine ? [adoptChange(project, mine, target)] : [];
  });
  const filelessOf = ({ name }: Kind): number =>
    unowned.filter((target) => target.kind.name === name && !fileOf(target)).length;
  const isMixed = changes.some(({ kind }) => kind !== undefined && kind !== 'Policy');
  return {
    plan: sealPlan({ changes, orphans: [], unchanged: 0, isMixed }, { project, baseUrl, now }),
    withoutFile: ofEachKind(filelessOf),
  };
}

/** Objects without tags have no owner to change. @throws GovctlError usage_error if one is named */
function adoptable(
  { live, service }: Pick<Repo, 'live' | 'service'>,
  wanted: readonly string[],
): readonly LiveDocument[] {
  const isTagged = ({ kind }: LiveDocument): boolean => service[kind.name].keepsTags !== false;
  const named = live.find(
    (each) =>
      !isTagged(each) &&
      [each.item.id, each.title, each.identity].some((one) => wanted.includes(one)),
  );
  if (!named) return live.filter(isTagged);
  const { noun, identity } = named.kind;
  throw new GovctlError(
    'usage_error',
    `This server does not store tags of ${noun.many}, so ${named.title} cannot be adopted`,
    {
      hint: `No adoption needed: on this server, ${withArticle(noun.one)} is identified by its ${identity}.`,
    },
  );
}

function pickWanted(
  wanted: readonly string[],
  fileOf: FileOf,
  live: readonly LiveDocument[],
  project: string,
): LiveDocument[] {
  const details: ErrorDetail[] = [];
  let foreign = false;
  const picked = [...new Set(wanted)].flatMap((given) => {
    const named = live.filter(({ item, title, identity }) =>
      [item.id, title, identity, item.url].includes(given),
    );
    const found = named.length > 0 ? named : live.filter((each) => fileOf(each)?.key === given);
    const [first] = found;
    const refuse = (message: string): void => void details.push({ field: given, message });
    if (!first) {
      const near = nearestWord(
        given,
        live.flatMap((each) => [each.title, fileOf(each)?.key ?? each.title]),
      );
      refuse(
        `no live object has this name, URL, key or ID${near ? `; did you mean "${near}"?` : ''}`,
      );
    } else if (first.ownership.owner === project) {
      refuse(`already belongs to "${project}"`);
    } else if (first.ownership.owner !== undefined) {
      foreign = true;
      refuse(
        `belongs to project "${first.ownership.owner}"; ${first.kind.noun.many} of other projects cannot be adopted`,
      );
    } else if (!fileOf(first)) {
      refuse(
        first.kind.isUnique
          ? `no file has ${withArticle(first.kind.noun.one)} named "${first.title}"; create it with \`govctl import\``
          : `no file has ${withArticle(first.kind.noun.one)} with this ${first.kind.identity}; create one first`,
      );
    }
    return found;
  });
  if (details.length === 0) return [...new Set(picked)];
  throw new GovctlError(
    foreign ? 'ownership_conflict' : 'usage_error',
    'Some of these objects cannot be adopted; nothing was changed',
    { details },
  );
}

function refuseDoubles(picked: readonly LiveDocument[]): void {
  const seen = new Map<string, string>();
  for (const { kind, item, identity } of picked) {
    const place = `${kind.name} ${identity}`;
    const other = seen.get(place);
    if (other !== undefined && other !== item.id) {
      throw new GovctlError(
        'ownership_conflict',
        `Several live ${kind.noun.many} have the ${kind.identity} "${identity}": ${other}, ${item.id}`,
        {
          hint: kind.isUnique
            ? 'Pass the ID of the one to adopt, or delete the others.'
            : `A plan requires a unique ${kind.identity}: delete the others with \`govctl ${kind.noun.one} delete ID\`.`,
        },
      );
    }
    seen.set(place, item.id);
  }
}

function adoptChange(
  project: string,
  local: LocalDocument,
  { kind, item, title, sha256 }: LiveDocument,
): Change {
  // The next plan compares the values of variables that are not set now.
  const same = !local.unset && contentHash(kind, local.body) === sha256;
  const before = documentOf(kind, kind.shownLive(item, null));
  return {
    ...kindField(kind.name),
    key: local.key,
    action: 'update',
    cause: 'adopt',
    id: item.id,
    name: title,
    reason: same
      ? 'adopted; matches its file'
      : local.unset
        ? 'adopted; the next plan shows other differences from the file'
        : 'adopted; differs from its file, as the next plan shows',
    place: { file: local.place.file, line: local.place.line, column: local.place.column },
    base: baseOf(kind, item),
    before,
    after: documentOf(kind, {
      ...before,
      tags: [
        ...withoutOwnership(item.tags ?? []),
        ...ownershipTags(project, local.key, stampOf(sha256)),
      ],
    }),
  } as Change; // the kind made the bodies, so they are of its shape
}
