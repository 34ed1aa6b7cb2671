import type { PolicyInput } from '../contract/policies.ts';
import type { TextPlace } from '../inventory/text/place.ts';
import type { BudgetDocument } from './documents/budget.ts';
import type { ExemptionDocument } from './documents/exemption.ts';
import type { FrameworkDocument } from './documents/framework.ts';
import type { ScheduleDocument } from './documents/schedule.ts';
import type { WebhookDocument } from './documents/webhook.ts';
import type { PolicySet } from './policy-sets.ts';

/** Where something stands in a file. */
export interface Place extends TextPlace {
  /** As the user would type it: relative to where govctl runs. */
  readonly file: string;
}

/** Something wrong, or worth a look, in a file. A finding is a value, not an error. */
export interface Problem extends Place {
  readonly level: 'error' | 'warning';
  /** Stable and short, e.g. `unknown-field`, `condition`, `duplicate-name`: for machines, and rule ids in SARIF. */
  readonly code: string;
  /** What is wrong and why: one sentence. */
  readonly message: string;
  /** What to do next, e.g. `Did you mean severity?`. */
  readonly hint?: string;
  /** The source line and how many of its characters, from `column`, the caret underlines. */
  readonly excerpt?: { readonly text: string; readonly width: number };
}

/** A policy as its file says it, defaulted as the API would. */
export interface LocalPolicy {
  /** Stable slug, unique in the project; given, or made of the name. */
  readonly key: string;
  /** Desired state in the API's own shape: optional fields that the file leaves out are absent, `enabled` is defaulted. */
  readonly policy: PolicyInput;
  readonly place: Place;
}

/** Where a file names an environment variable, and in which of a document's fields. */
export interface Reference extends Place, Pick<Problem, 'excerpt'> {
  readonly variable: string;
  /** As in `secret` or `headers.authorization`. */
  readonly path: string;
}

/** A webhook as its file says it: with references, not with what they stand for. */
export interface LocalWebhook {
  /** Stable slug, unique among the project's webhooks; given, or made of the name or the url. */
  readonly key: string;
  readonly webhook: Readonly<Omit<WebhookDocument, 'kind' | 'key'>>;
  readonly place: Place;
  readonly references: readonly Reference[];
}

/** A schedule as its file says it. */
export interface LocalSchedule {
  /** Stable slug, unique among the project's schedules; given, or made of the name. */
  readonly key: string;
  readonly schedule: Readonly<Omit<ScheduleDocument, 'kind' | 'key'>>;
  readonly place: Place;
}

/** An exemption as its file says it. */
export interface LocalExemption {
  /** Stable slug, unique among the project's exemptions; given, or made of the name, or of policy and resources. */
  readonly key: string;
  readonly exemption: Readonly<Omit<ExemptionDocument, 'kind' | 'key' | 'name'>>;
  readonly place: Place;
}

/** A framework as its file says it. */
export interface LocalFramework {
  /** Its ID. */
  readonly key: string;
  readonly framework: Readonly<Omit<FrameworkDocument, 'kind'>>;
  readonly place: Place;
}

/** A budget as its file says it. */
export interface LocalBudget {
  /** Stable slug, unique among the project's budgets; given, or made of the name. */
  readonly key: string;
  readonly budget: Readonly<Omit<BudgetDocument, 'kind' | 'key'>>;
  readonly place: Place;
}

export type OtherKind =
  'Schedule' | 'Webhook' | 'Exemption' | 'Framework' | 'Budget' | 'PolicyTest';

/** A document of another kind than a policy. */
export interface OtherDocument {
  readonly kind: OtherKind;
  /** What a person would call it: its name, policy or file. */
  readonly title: string;
  readonly document: Readonly<Record<string, unknown>>;
  readonly place: Place;
}

interface Guards {
  /** Percent of the owned policies that one apply may delete, once 10 or more are owned. Default 30. */
  readonly max_delete: number;
}

/** `govctl.yaml`, defaulted. */
export interface ProjectConfig {
  /** The owner of what this repo applies; absent when there is no govctl.yaml and no --project. */
  readonly project?: string;
  readonly base_url?: string;
  /** Folders and files, relative to `root`. */
  readonly paths: readonly string[];
  /** The policies that `check` runs. Default baseline. */
  readonly set: PolicySet;
  /** Requests at once. Default 8. */
  readonly concurrency: number;
  readonly guards: Guards;
}

export interface LoadedProject {
  readonly config: ProjectConfig;
  /** The folder of govctl.yaml, else the working folder. */
  readonly root: string;
  readonly policies: readonly LocalPolicy[];
  readonly webhooks: readonly LocalWebhook[];
  readonly schedules: readonly LocalSchedule[];
  readonly exemptions: readonly LocalExemption[];
  readonly frameworks: readonly LocalFramework[];
  readonly budgets: readonly LocalBudget[];
  /** Webhooks, schedules, exemptions, frameworks and budgets, too. */
  readonly others: readonly OtherDocument[];
  /** In order of file and line. Any of level error means: do not plan. */
  readonly problems: readonly Problem[];
  /** How many files there are. */
  readonly files: number;
  /** Those that hold tests alone, and were not read, as nothing was wrong in the others. */
  readonly unread: readonly string[];
}

/**
 * Does work that holds the event loop, perhaps for long: Ctrl-C and SIGTERM, which nothing could hear meanwhile, end the
 * process. Not for work within such work, nor where files would be left behind.
 */
export type Holding = <T>(work: () => T) => T;

export interface LoadOptions {
  readonly cwd: string;
  /** Files or folders; empty: the config's paths, else `.`. */
  readonly paths: readonly string[];
  /** Milliseconds since the epoch: exemptions that ended before are worth a warning. Absent: none is judged. */
  readonly now?: number;
  /** --project: names the owner where there is no govctl.yaml, and overrides it. */
  readonly project?: string;
  /** Follow links and paths of the repo that lead outside of it. */
  readonly allowOutside?: boolean;
  /** Ends the reading. */
  readonly signal?: AbortSignal;
  /** Default: just does the work. */
  readonly holding?: Holding;
  /** Reads files that hold tests alone only where something is wrong in the others: they take most of the time. */
  readonly withoutTests?: boolean;
}
