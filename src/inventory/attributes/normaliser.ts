import type { Format } from '../formats/formats.ts';
import type { RawResource } from '../model.ts';
import type { Related } from './related.ts';
import type { Spelling } from './spelling.ts';

/** As the documentation writes it: `bool`, `list<string>`, `list<Statement>`, `map<string,string>`, `timestamp`. */
type AttributeType = string;

export interface Attribute {
  readonly type: AttributeType;
  /** One phrase for the table. */
  readonly meaning: string;
  readonly spelling?: Spelling;
  /** The value where a reader finds none, where absence has a known meaning. Left out: then the attribute is missing. */
  readonly absent?: unknown;
  /** The document that says what is so when nothing is set, where it isn't the type's: see `Normaliser.source`. */
  readonly source?: string;
}

/**
 * Values by dotted path, as in the table: `{'encryption.enabled': true}`. Undefined: absent. A list is given whole: what
 * the table says of its elements (`volumes[].device`) is for its maker to keep, with what stands there when absent.
 */
type Attributes = Readonly<Record<string, unknown>>;

/** Reads a provider's document into well-known attributes. Must not throw: what it doesn't understand is absent. */
type Extract = (raw: RawResource, related: Related) => Attributes;

/** The well-known attributes of one resource type, and how each kind of input gives them. */
export interface Normaliser {
  /** Resource types with these attributes; most have one. */
  readonly types: readonly string[];
  /** Further types, which nobody can list. */
  readonly like?: RegExp;
  /**
   * The provider's document that the values when absent come from, as it is called, and its date: the version of the API,
   * or when the behaviour began (`2023-04`).
   */
  readonly source?: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
  /**
   * How Terraform's documentation calls the provider's properties that messages name: a path (`metadata_options.http_tokens`),
   * and after `of` the resource that has it, where that is one of its own. By Terraform's type where several differ; the
   * names of several versions of Terraform's provider, the newest first. `p: v` is a value that Terraform has another word
   * for: `disableLocalAuth: true` is `local_auth_enabled = false`.
   */
  readonly arguments?: Readonly<
    Record<string, string | readonly string[] | Readonly<Record<string, string>>>
  >;
  readonly from: Partial<Record<Exclude<Format, 'native'>, Extract>>;
}

/** Keeps the paths of `attributes` while checking the shape; what `from` gives must be declared. */
export const normaliser = <const A extends Readonly<Record<string, Attribute>>>(given: {
  readonly types: readonly string[];
  readonly like?: RegExp;
  readonly source?: string;
  readonly attributes: A;
  readonly arguments?: NonNullable<Normaliser['arguments']>;
  readonly from: Partial<
    Record<
      Exclude<Format, 'native'>,
      (raw: RawResource, related: Related) => { readonly [Path in keyof A]?: unknown }
    >
  >;
}): Normaliser => given;
