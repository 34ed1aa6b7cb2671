import type { Severity } from '../../contract/policies.ts';

/** What a control stands for: `not_evaluated` is never a pass, and `manual` was attached by a person. */
type ControlStatus = 'PASSED' | 'FAILED' | 'ERROR' | 'manual' | 'not_evaluated';

/** The moment that a bundle is about. */
export interface Cut {
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** The newest completed scan of the whole inventory. */
  readonly scan_id: string;
  readonly scan_completed_at: string;
  /** Where the chain of the audit log ended. */
  readonly audit_sequence: number;
  readonly audit_hash: string;
}

export interface ControlFacts {
  readonly id: string;
  readonly title?: string;
  readonly status: ControlStatus;
  /** IDs of the policies that are mapped to it. */
  readonly policies: readonly string[];
  /** IDs of the manual evidence for it. */
  readonly manual: readonly string[];
}

/** Resources that a policy is about, by its latest outcome. */
interface PolicyTally {
  readonly evaluated: number;
  readonly pass: number;
  readonly fail: number;
  readonly error: number;
  readonly exempt: number;
}

/** A resource that passed, with the values that the policy read. */
interface Sample {
  readonly resource_id: string;
  readonly resource_type: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface PolicyFacts {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly resource_type: string;
  readonly severity: Severity;
  readonly enabled: boolean;
  readonly rules: readonly {
    readonly condition: string;
    readonly effect: string;
    readonly message?: string;
  }[];
  readonly updated_at: string;
  /** From which repo it was applied, as far as its tags say. */
  readonly git?: { readonly project?: string; readonly key?: string; readonly applied?: string };
  /** Absent: not evaluated, or not since it was changed. */
  readonly tally?: PolicyTally;
  readonly samples: readonly Sample[];
  /** All of them; `listed` says how many are in the bundle. */
  readonly violations: {
    readonly open: number;
    readonly exempt: number;
    readonly resolved: number;
    readonly listed: number;
  };
}

export interface ViolationFacts {
  readonly id: string;
  readonly resource_id: string;
  readonly resource_type: string;
  readonly severity: Severity;
  readonly status: string;
  readonly message: string;
  readonly detected_at: string;
  readonly resolved_at?: string;
  readonly account_id?: string;
  readonly region?: string;
  readonly environment?: string;
  readonly exemption_id?: string;
  /** Why a person resolved it. */
  readonly reason?: string;
}

export interface ExemptionFacts {
  readonly id: string;
  /** As it names its policy. */
  readonly policy: string;
  readonly resources: readonly string[];
  /** Not all of its resources are in `resources`. */
  readonly resources_total: number;
  readonly reason: string;
  readonly owner: string;
  readonly expires: string;
  readonly status: string;
  readonly created_at: string;
}

/** What a person attached to a control. */
export interface ManualFacts {
  readonly id: string;
  readonly control: string;
  readonly text?: string;
  readonly file?: {
    readonly name: string;
    readonly media_type: string;
    readonly size: number;
    readonly sha256: string;
  };
  readonly expires: string;
  readonly created_at: string;
  readonly created_by: string;
}

/** An entry of the audit log, without what tells of a connection. */
export interface ChangeFacts {
  readonly sequence: number;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly changes?: readonly string[];
  /** Of the whole entry, as the audit log has it. */
  readonly hash?: string;
}

/** What the server knows of a framework at a cut. */
export interface EvidenceFacts {
  readonly cut: Cut;
  readonly server: {
    readonly base_url: string;
    /** Only its own machine could reach it. */
    readonly local: boolean;
    readonly version: string;
  };
  readonly framework: { readonly name: string; readonly version?: string };
  /** From when on resolved violations and changes are told. */
  readonly since: string;
  readonly controls: readonly ControlFacts[];
  readonly policies: readonly PolicyFacts[];
  /** By policy ID. */
  readonly violations: ReadonlyMap<string, readonly ViolationFacts[]>;
  readonly exemptions: readonly ExemptionFacts[];
  readonly manual: readonly ManualFacts[];
  readonly changes: readonly ChangeFacts[];
  /** What a reader may expect and is not in the bundle, in sentences. */
  readonly missing: readonly string[];
}
