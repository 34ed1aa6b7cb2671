import type { Resource, UnknownValue } from '../contract/resources.ts';
import type { Format } from './formats/formats.ts';

/** Where something stands in a document, from its root: `['Resources', 'Bucket']`, `['resource_changes', 3]`. */
export type DocumentPath = readonly (string | number)[];

/** What an expression is made of, in the end: a variable of the root module, or a resource, data source or local value. */
export type ValueOrigin =
  | { readonly variable: string; readonly sensitive: boolean; readonly hasDefault: boolean }
  | { readonly type: string };

/** An expression that gives an attribute: a constant, or what it is made of. */
export interface GivenBy {
  readonly constant: unknown;
  readonly origins: readonly ValueOrigin[];
  /** It gives a map, which the attribute is one entry of. */
  readonly ofWhole: boolean;
}

/** A resource as its source has it, references resolved, before normalising. */
export interface RawResource {
  /** What it is called in its input: logical id, Terraform address, ARN, asset name, resource id. Exports may repeat one. */
  readonly address: string;
  /** What findings call it. A template's resource has no id yet: then its address. */
  readonly id: string;
  /** As policies name it: `AWS::S3::Bucket`. */
  readonly type: string;
  readonly name?: string | UnknownValue | undefined;
  readonly account_id?: string | UnknownValue | undefined;
  readonly region?: string | UnknownValue | undefined;
  /** Unknown as a whole where not even the keys can be known. */
  readonly tags: Readonly<Record<string, unknown>> | UnknownValue;
  /** The provider's own document; values that can't be known are `UnknownValue`s. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** About the source itself, shown to conditions as `resource.source`, such as `{format, address, deletion_policy}`. */
  readonly source: Readonly<Record<string, unknown>>;
  /** Texts by which others of the same input may name it literally: id, ARN, name. */
  readonly names: readonly string[];
  readonly at: DocumentPath;
  /** Terraform plans only: whether the configuration sets an attribute; the provider chose the value of one that it doesn't set. */
  readonly sets?: ((...path: readonly string[]) => boolean) | undefined;
  /**
   * Terraform only: it is there already, so that what nobody set may still be as the provider's defaults were when it
   * was created. False for what a plan creates.
   */
  readonly exists?: boolean | undefined;
  /**
   * Terraform plans only: the expressions that give an attribute, one of each block where blocks are repeated. They tell where
   * a value comes from, also where the plan knows it.
   */
  readonly givenBy?: ((...path: readonly string[]) => readonly GivenBy[]) | undefined;
  /** The format of its properties, if it isn't that of the input: a plan may contain documents of Azure. */
  readonly writtenAs?: Format;
  /** If the input has only a part of the resource: the first steps of the attributes that it has. */
  readonly only?: readonly string[];
  /** If the input has the parts of the resource in several entries: the entries after the first. */
  readonly merged?: Merged;
  /** The part of the resource that is in a file that was not read, as messages call it: `their IAM policy`, `their resource`. */
  readonly lacks?: string | undefined;
  /** Rules that the resource itself asks to be spared, as the tag by which a policy stands for them: `guard:RULE`. */
  readonly suppressed?: readonly string[];
  /** Policies that the resource's metadata asks to skip. */
  readonly skips?: readonly MetadataSkip[];
  /** Top-level attributes that win over what is normalised: all of the native format, and `properties` that are not known. */
  readonly given?: Readonly<Record<string, unknown>>;
}

/** Entries that are merged into one resource. */
export interface Merged {
  readonly parts: readonly RawResource[];
  /** The resource as the first entry and only some of the others tell it. */
  readonly remake: (isKept: (part: RawResource) => boolean) => RawResource;
}

/** A request in the source of a resource to skip a policy, as written: any of it may be missing or wrong. */
export interface WrittenSkip {
  /** Name or key. */
  readonly policy?: string | undefined;
  /** The last day on which it applies: `2026-12-31`. */
  readonly until?: string | undefined;
  readonly reason?: string | undefined;
}

export interface MetadataSkip extends WrittenSkip {
  readonly at: DocumentPath;
}

/** A resource ready for evaluation, and where it came from. */
export interface ReadResource {
  readonly resource: Resource;
  readonly address: string;
  readonly at: DocumentPath;
  readonly suppressed?: readonly string[];
  readonly skips?: readonly MetadataSkip[];
  readonly lacks?: string;
}

/** A resource that a template declares and does not deploy: its condition is false with the parameters as they are. */
export interface LeftOut {
  readonly address: string;
  readonly type: string;
  /** As the template has it: a name, or an expression. */
  readonly condition: string;
  readonly at: DocumentPath;
}

/** A resource that an export says was deleted. */
export interface Deleted {
  /** Others may have the same, where it is no ARN. */
  readonly id: string;
  readonly type: string;
  readonly account_id?: string;
  readonly region?: string;
  /** When this was seen, in milliseconds since 1970; undefined where the export does not say. */
  readonly captured: number | undefined;
  readonly at: DocumentPath;
}

/** Something in an input that could not be used, and where. */
export interface InputProblem {
  readonly message: string;
  /** Which of several files that were read together; absent for one alone. */
  readonly file?: string;
  /** Counted from 1; absent where it is about the whole input. */
  readonly line?: number;
  readonly column?: number;
}

export interface ReadOptions {
  /** Default: detected. */
  readonly format?: Format | undefined;
  /** Values for a template's parameters, by name. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** Conditions of resources count as true: nothing is left out by one that is false. */
  readonly allConditions?: boolean | undefined;
  /** The document is a list with one document of each file. */
  readonly isJoined?: boolean | undefined;
}

/** A part of a document that could not be used; `at` leads to it, as far as the document goes. */
export interface DocumentProblem {
  readonly message: string;
  /** What was read of the rest may be otherwise, as with a parameter that does not exist. */
  readonly affectsAll?: true;
  readonly at?: DocumentPath;
}

/** What a reader makes of a document: the parts that could be used, and those that could not. */
export interface ReadDocument {
  readonly raws: readonly RawResource[];
  readonly problems: readonly DocumentProblem[];
  readonly leftOut?: readonly LeftOut[];
  readonly deleted?: readonly Deleted[];
  /**
   * It contains a part of an account, such as a stack or the changes of a day: what it lacks may be there. Default: it is a
   * list of all resources of its types.
   */
  readonly isPart?: boolean;
  /** IDs of resources that exist, but of which the export tells nothing more. */
  readonly untold?: readonly string[];
  /** What may be otherwise than it is written, such as by a macro that nobody here knows. */
  readonly notices?: readonly DocumentProblem[];
}

/**
 * Reads one format. A document is the parsed text: plain JSON values, nested at most `maxDepth` deep, with own keys
 * only (`__proto__` may be one). Several YAML documents, or JSON lines, are one list. Neither function throws.
 */
export interface Reader {
  readonly format: Format;
  /** Whether the document is of this format, told by a few of its fields; no other reader may say so too. */
  detects(document: unknown): boolean;
  read(document: unknown, options: ReadOptions): ReadDocument;
  /**
   * For a format whose exports come in several files: what a document shares with others of its export, such as the names
   * of its resources. Documents with a common link are read together: `read` then gets the list of them.
   */
  links?(document: unknown): readonly string[];
}
