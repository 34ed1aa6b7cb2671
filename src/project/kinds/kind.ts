import type { Client } from '../../client/client.ts';
import type { ObjectsOf } from '../../client/objects.ts';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Place } from '../model.ts';

/** The kinds of documents that are planned and applied. */
export type KindName = 'Policy' | 'Webhook' | 'Schedule' | 'Exemption' | 'Framework' | 'Budget';

/** What a document says: the API's fields. */
export type Body = Readonly<Record<string, unknown>>;

/** An object as a service answers it. */
export type LiveItem = Body & {
  readonly id: string;
  readonly updated_at?: string | undefined;
  readonly tags?: readonly string[] | undefined;
};

/** A document as its file says it. */
export interface LocalDocument {
  readonly kind: Kind;
  /** Stable slug, unique among the project's documents of this kind. */
  readonly key: string;
  /** As it is written. */
  readonly written: Body;
  /** As it is meant: with the values of the variables it names. */
  readonly body: Body;
  readonly place: Place;
  /** Variables that it names and that can't be used; the body has their references where their values would be. */
  readonly unset?: readonly Unset[];
  /** Why it is not created where it is not live, such as `it expired on 2026-10-01`. */
  readonly isOver?: string | undefined;
}

/** A variable that a document names and that can't be used. */
export interface Unset {
  readonly variable: string;
  /** Where it is named, as in `secret` or `headers.X-Token`. */
  readonly path: string;
  /** Why not, as in `the environment variable X is not set`. */
  readonly fault: string;
}

/** What a document comes to beside what is live: as it is meant, and as a plan may hold and show it. */
export interface Wanted {
  readonly real: Body;
  readonly shown: Body;
}

/** One field that differs. `path` as in `severity` or `rules[2].message`; null: not there. */
export interface FieldChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Something that asks for an update though the contents agree. */
export interface BeyondContent {
  readonly cause: 'secret' | 'disabled';
  readonly reason: string;
}

/** Gives back what a plan only names. */
export interface Secrets {
  /** A text with the values of the variables it names. @throws GovctlError for one that is not known */
  expand(text: string): string;
  /** What a file writes out and a plan does not hold: of a key, at a path such as `headers.x-token`. */
  writtenOut(key: string, path: string): string | undefined;
  /** A text without any of the values. */
  hide(text: string): string;
}

/** What differs between the kinds of documents; all else of comparing, planning and applying is the same. */
export interface Kind {
  readonly name: KindName;
  /** As people say it. */
  readonly noun: { readonly one: string; readonly many: string };
  readonly objects: ObjectsOf<LiveItem>;
  /** Only a govctl server has this kind; for any other its documents are left out, with a line that says so. */
  readonly isOurs: boolean;
  /** Whether an error says that a service has none of this kind at all. */
  readonly isMissing: (error: unknown) => boolean;
  /** It takes a scope that keys for the other kinds may lack: without it, repos that have none of this kind are planned. */
  readonly hasOwnScope?: true;
  /** What a file decides, in the order it is shown. */
  readonly fields: readonly string[];
  /** Those of them that a service never tells, so that the live value is unknown. */
  readonly writeOnly: readonly string[];
  /** The field that tells two of them apart where there are no tags: a live one has it, a local one has it. */
  readonly identity: string;
  /** The service refuses two of one identity, so changes that pass one on wait for each other. */
  readonly isUnique: boolean;
  /** Files without a single one are more likely a mistake than a wish to prune them all. */
  readonly guardsEmpty: boolean;
  /** What is said of one whose file asks for something else than was last applied. */
  readonly changed: string;
  /** When, among the other kinds' changes, its own are made; equal ones go together. */
  readonly turn: { readonly write: number; readonly delete: number };
  /** Whether a service keeps tags on this kind; undefined: nothing is live to tell it by. */
  keepsTags(client: Client, live: readonly LiveItem[]): Promise<boolean | undefined>;
  /** What a person calls it. */
  titleOf(body: Body): string;
  /** The key of one whose file gives none. */
  keyOf(body: Body): string;
  /** One spelling for each identity. */
  identityOf(body: Body): string;
  /** Whether a live one of this identity is about an object of another project, so that it is in nobody's way here. */
  isElsewhere?(item: LiveItem, project: string): boolean;
  /** What it says, in one spelling for each meaning, without govctl's own tags. */
  content(body: Body): Body;
  /** All of it that may change, tags and all, in one spelling for each meaning. */
  state(body: Body): Body;
  /** Lower-case hex of a hash over either. */
  hash(normal: Body): string;
  /** How a field differs where that can be said better than whole; undefined: it can't. */
  diffField(field: string, before: unknown, after: unknown): readonly FieldChange[] | undefined;
  /** A new one in a few words. */
  outline(body: Body): readonly (string | undefined)[];
  /** The fields that these words show whole. */
  readonly outlined: readonly string[];
  /** @param keepsTags whether the service does on this kind; undefined: not known yet */
  wanted(local: LocalDocument, live: LiveItem | undefined, keepsTags: boolean | undefined): Wanted;
  /** A live one as a plan may hold and show it beside what is wanted; null: it is going to be deleted. */
  shownLive(live: Body, wanted: Wanted | null): Body;
  /** Undefined where the contents tell all. */
  beyondContent(local: LocalDocument, live: LiveItem): BeyondContent | undefined;
  /** What is worth a line though nothing is done about it. */
  noteOn(local: LocalDocument, live: LiveItem): string | undefined;
  /** What is sent for what a plan holds. */
  reveal(key: string, shown: Body, live: Body | undefined, secrets: Secrets): Body;
  /** A body without what only our server takes; undefined: there is no such thing. */
  withoutExtensions(body: Body): Body | undefined;
}

export const contentHash = (kind: Kind, body: Body): string => kind.hash(kind.content(body));

export const stateHash = (kind: Kind, body: Body): string => kind.hash(kind.state(body));

/** Whether an error says that whoever asks may not see this kind, though it may see others. */
export const isHidden = ({ hasOwnScope }: Kind, error: unknown): boolean =>
  hasOwnScope === true && error instanceof GovctlError && error.error === 'insufficient_scope';

/** A noun with its article: `an exemption`. */
export const withArticle = (one: string): string => `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`;

/** The same at the beginning of a sentence. */
export const atStart = (one: string): string => withArticle(one).replace(/^a/, 'A');

/** The fields that a file decides, and the tags; what a service assigns or adds is left out. */
export const documentOf = (kind: Kind, body: Body): Body =>
  Object.fromEntries(
    kind.fields.flatMap((field) => {
      const value = body[field];
      return value === undefined || value === null ? [] : [[field, value] as const];
    }),
  );

/** A document without what no service tells. */
export const withoutWriteOnly = (kind: Kind, body: Body): Body =>
  kind.writeOnly.reduce<Body>((rest, field) => ({ ...rest, [field]: undefined }), body);

/** Said of what is no policy. */
export interface Kinded {
  readonly kind?: KindName;
}

/** JSON says of what is no policy what it is; of policies nothing, as before there were others. */
export const kindField = (kind: KindName | undefined): Kinded =>
  kind === undefined || kind === 'Policy' ? {} : { kind };

/** What differs between two documents in normal form, field by field; null is no document at all. */
export const diffFields = (kind: Kind, before: Body | null, after: Body | null): FieldChange[] =>
  kind.fields.flatMap((field) => {
    const old = before?.[field] ?? null;
    const next = after?.[field] ?? null;
    if (canonicalJson(old) === canonicalJson(next)) return [];
    const better = before && after ? kind.diffField(field, old, next) : undefined;
    return better ?? [{ path: field, before: old, after: next }];
  });
