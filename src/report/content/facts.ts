import type { PendingEvaluation } from '../../contract/pending-evaluation.ts';
import type { Finding } from '../../contract/findings.ts';
import type { Severity } from '../../contract/policies.ts';
import type { PredictionMethod } from '../../contract/predictions.ts';
import type { ActionStatus } from '../../contract/remediations.ts';
import type { ViolationStatus } from '../../contract/violations.ts';
import type { TitleOf } from '../../engine/frameworks/titles.ts';
import type { Mapping } from '../../engine/labels.ts';
import type { CostFacts } from './cost-facts.ts';
import type { ContentOrder } from './order.ts';
import type { BySeverity, Counter, Groups } from './counters.ts';
import type { Rows } from './rows.ts';
import type { Scope } from './scope.ts';

/** What was gathered for a report, and all that its sections are made of. Times are milliseconds since the epoch. */
export interface Facts {
  readonly order: ContentOrder;
  readonly scope: Scope;
  /** Enabled, in scope, by severity and name. */
  readonly policies: readonly PolicyFact[];
  /** Policies of the framework that are disabled, and so are not evaluated. */
  readonly disabled: number;
  readonly evaluations: EvaluationFacts;
  readonly violations: ViolationFacts;
  readonly exemptions: readonly ExemptionFact[];
  readonly scans: ScanFacts;
  readonly audit?: AuditFacts;
  /** Absent for a range that is over, and where they were not asked for. */
  readonly predictions?: PredictionFacts;
  readonly remediations?: RemediationFacts;
  readonly cost?: CostFacts;
  /** What changes have left to evaluate: violations, and what is counted of them, are incomplete. */
  readonly pending?: PendingEvaluation;
  /** What a control is about; default: of a built-in framework, in our words. */
  readonly titleOf?: TitleOf;
  /** What users are called, by the ID that what they did is recorded under; those that are gone have no name. */
  readonly people?: ReadonlyMap<string, string>;
}

export interface PolicyFact {
  readonly id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly resource_type: string;
  readonly description?: string;
  /** Of its rules, each once. */
  readonly messages: readonly string[];
  readonly auto_remediation: boolean;
  readonly remediation_action?: string;
  readonly created_at: number;
  readonly updated_at: number;
  /** In the report's framework, or in all. */
  readonly mappings: readonly Mapping[];
  readonly counter: Counter;
  /** The first resources that fail, and the first evaluations that could not be decided. */
  readonly failing: readonly string[];
  readonly undecided: readonly string[];
}

export interface EvaluationFacts {
  readonly total: Counter;
  readonly severities: Readonly<Record<Severity, Counter>>;
  readonly environments: Groups<Counter>;
  readonly providers: Groups<Counter>;
  readonly types: Groups<Counter>;
  /** What environments and providers (in lower case) resources are of, whatever the scope; a thousand, and what was asked for. */
  readonly places: {
    readonly environments: ReadonlySet<string>;
    readonly providers: ReadonlySet<string>;
  };
  /** In scope, and those of them with a policy for their type or service, not only for all types of a provider. */
  readonly resources: number;
  readonly covered: number;
  /** All of them, where they were asked for. */
  readonly rows?: Rows<EvaluationRow>;
  /** Those that could not be decided, where they were asked for. */
  readonly undecidedRows?: Rows<EvaluationRow>;
}

/** A policy over a resource. */
export interface EvaluationRow {
  readonly policy: string;
  readonly policy_id: string;
  readonly severity: Severity;
  readonly resource: string;
  readonly resource_type: string;
  readonly environment?: string;
  readonly provider: string;
  readonly account_id?: string;
  readonly region?: string;
  readonly status: Exclude<Finding['status'], 'SKIPPED'>;
  /** What its rules say; why it could not be decided; why it is exempt. */
  readonly message: string;
}

/** A violation with what it was at the end of the scope. */
export interface ViolationRow {
  readonly id: string;
  readonly policy: string;
  readonly policy_id: string;
  readonly severity: Severity;
  readonly resource: string;
  readonly resource_type: string;
  readonly environment?: string;
  readonly provider: string;
  readonly account_id?: string;
  readonly region?: string;
  readonly status: ViolationStatus;
  /** As in `SOC2 CC6.1 CC6.7, PCI-DSS 1.2`: of the framework asked for, or of all. */
  readonly controls: string;
  readonly message: string;
  readonly found_at: number;
  readonly resolved_at?: number;
  /** While it is open. */
  readonly points?: number;
}

/** A change of a violation's status. */
export interface StepRow {
  readonly at: number;
  readonly policy: string;
  readonly resource: string;
  readonly severity: Severity;
  readonly from?: ViolationStatus;
  readonly to: ViolationStatus;
  readonly cause: string;
  readonly by?: string;
  readonly reason?: string;
  readonly id: string;
}

/** Violations of something, in the scope and its time. */
export interface ViolationCounts {
  /** OPEN at the end, and just before the beginning. */
  open: number;
  openAtStart: number;
  exempt: number;
  /** Those that were OPEN at some time. */
  wasOpen: number;
  /** Changes to OPEN, and from OPEN to RESOLVED or EXEMPT. */
  opened: number;
  resolved: number;
  exempted: number;
  points: number;
  readonly bySeverity: BySeverity;
}

export interface PolicyViolations {
  readonly id: string;
  readonly name: string;
  readonly severity: Severity;
  /** As it was labelled when a violation of it was found last. */
  readonly mappings: readonly Mapping[];
  readonly counts: ViolationCounts;
}

export interface ResourceViolations {
  readonly resource: string;
  readonly resource_type: string;
  readonly environment?: string;
  readonly provider: string;
  readonly account_id?: string;
  readonly region?: string;
  open: number;
  points: number;
  readonly bySeverity: BySeverity;
}

export interface ViolationFacts {
  readonly total: ViolationCounts;
  /** By the id of the policy, those that are gone among them. */
  readonly policies: ReadonlyMap<string, PolicyViolations>;
  readonly environments: Groups<ViolationCounts>;
  readonly providers: Groups<ViolationCounts>;
  readonly accounts: Groups<ViolationCounts>;
  readonly regions: Groups<ViolationCounts>;
  /** Open ones by age: severities of each of `ageBuckets`. */
  readonly ages: readonly BySeverity[];
  /** Those with the most points, at most so many. */
  readonly topResources: readonly ResourceViolations[];
  /** Resources with an open violation. */
  readonly affected: number;
  /** Changes by the day, or the hour, they fall in: its number, from the start of the scope or the epoch. */
  readonly ticks: ReadonlyMap<number, { opened: number; resolved: number; exempted: number }>;
  readonly tick: number;
  /** How long those resolved in the scope had been found, in milliseconds. */
  readonly resolving: Readonly<Record<Severity, { sum: number; count: number; unknown: number }>>;
  /** How many changed from OPEN to RESOLVED, by cause. */
  readonly causes: ReadonlyMap<string, number>;
  /** Those whose oldest changes are no longer kept, so that what they were at the start is not known. */
  readonly cut: number;
  readonly rows?: Rows<ViolationRow>;
  readonly steps?: Rows<StepRow>;
}

export interface ExemptionFact {
  readonly id: string;
  readonly policy: string;
  readonly resources: readonly string[];
  readonly reason: string;
  readonly owner: string;
  /** The last day it counts, and when that is over. */
  readonly expires: string;
  readonly ends_at: number;
  readonly category?: string;
  readonly created_at: number;
  readonly created_by: string;
  /** Evaluations that are EXEMPT by it now, in the scope. */
  readonly covers: number;
}

export interface ScanFact {
  readonly id: string;
  readonly name?: string;
  readonly status: string;
  readonly created_at: number;
  readonly created_by: string;
  readonly started_at?: number;
  readonly completed_at?: number;
  /** Of the whole inventory and all policies. */
  readonly isWhole: boolean;
  readonly score: number | null;
  readonly resources: number;
  readonly evaluated: number;
  readonly failed: number;
  readonly undecided: number;
  readonly exempt: number;
}

export interface ScanFacts {
  /** Begun or completed within the scope's time, by when they were asked for. */
  readonly within: readonly ScanFact[];
  /** The last whole one that was completed before the scope's end. */
  readonly lastWhole?: ScanFact;
}

export interface AuditFacts {
  /** Within the scope's time, by when. */
  readonly entries: Rows<AuditRow>;
  readonly actions: Groups<{ count: number }>;
  readonly actors: Groups<{ count: number }>;
}

export interface AuditRow {
  readonly at: string;
  readonly actor: string;
  readonly via: string;
  /** What key, client or thing has now; empty where it has none, or is gone. */
  readonly via_name: string;
  readonly action: string;
  readonly subject: string;
  readonly subject_name: string;
  readonly changes: string;
  readonly request_id: string;
}

export interface PredictionFacts {
  /** The methods that are on. */
  readonly on: readonly PredictionMethod[];
  /** The soonest first. */
  readonly alerts: readonly PredictionFact[];
  /** There are more. */
  readonly isCut: boolean;
}

export interface PredictionFact {
  readonly id: string;
  readonly method: PredictionMethod;
  readonly severity: Severity;
  readonly policy: string;
  readonly resource: string;
  readonly resource_type: string;
  readonly environment?: string;
  readonly provider: string;
  readonly account_id?: string;
  readonly at: number;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly advice: string;
}

export interface RemediationFacts {
  readonly total: number;
  /** How many are in each state. */
  readonly states: ReadonlyMap<string, number>;
  /** The newest first, and not all where they are very many. */
  readonly plans: readonly RemediationFact[];
  /** Actions that failed; those of the newest are listed. */
  readonly failed: number;
  readonly failures: readonly FailedActionFact[];
}

export interface RemediationFact {
  readonly id: string;
  readonly status: string;
  readonly kind: 'remediation' | 'dry run' | 'rollback';
  readonly created_at: number;
  readonly ended_at?: number;
  /** Actions by their state. */
  readonly counts: Record<ActionStatus, number>;
  /** The guards that keep it from being carried out. */
  readonly why_not: readonly string[];
  /** The remediation whose changes it takes back. */
  readonly rolls_back?: string;
  readonly note?: string;
  readonly requested_by: string;
}

export interface FailedActionFact {
  readonly remediation: string;
  readonly severity: Severity;
  readonly policy: string;
  readonly resource: string;
  readonly method: string;
  readonly why: string;
  readonly ended_at?: number;
}

/** A change of status within the span. */
export interface Step {
  readonly at: number;
  /** Absent: there was no violation yet, or it is not known what was. */
  readonly from?: ViolationStatus;
  readonly to: ViolationStatus;
  readonly cause: string;
  readonly by?: string;
  readonly reason?: string;
  /** Milliseconds from when it was found until it was resolved, where that is known. */
  readonly lasted?: number;
}

/** What a violation was in a span of time. */
export interface Replayed {
  /** Just before the span; absent: there was none, or it is not known. */
  readonly atStart?: ViolationStatus;
  /** At the end of the span; absent as before. */
  readonly atEnd?: ViolationStatus;
  /** It was OPEN at some time within. */
  readonly wasOpen: boolean;
  /** When it was found that was not resolved, or was resolved last, at the end of the span. */
  readonly foundAt?: number;
  readonly resolvedAt?: number;
  readonly steps: readonly Step[];
  /** Its oldest changes are no longer kept, and some of the span is before the first one that is. */
  readonly isCut: boolean;
}
