import type { Approval } from '../../contract/remediations.ts';
import type { PredictionMethod } from '../../contract/predictions.ts';
import type { Binding } from './binding.ts';
import type { Retention } from './retention.ts';

/** What the operator tells the server in a file or its environment, ready for use: every reference resolved. */
export interface ServerConfig {
  /** CIDRs of the proxies whose word is taken for the addresses of clients. */
  readonly trusted_proxies?: readonly string[];
  /** Whose policies these are, as the title pages of reports say it. */
  readonly organization?: string;
  readonly smtp?: SmtpConfig;
  /** The address of an incoming webhook for each chat channel, by the channel's name. */
  readonly chat?: { readonly channels: Readonly<Record<string, string>> };
  /** What requests to S3-compatible storage are signed with. */
  readonly object_storage?: StorageKeys;
  /** Tags that name the owner of a resource, the first that it has; default `defaultOwnerTags`. */
  readonly owner_tags?: readonly string[];
  readonly cost?: {
    /** Lower-case keys of the tags that charges can be grouped by; default `defaultCostTags`. */
    readonly tags?: readonly string[];
    readonly shared?: readonly SharedCost[];
    /** Below these, no cost is an anomaly: in units of its currency, and in percent of what was expected. */
    readonly anomalies?: { readonly min_impact?: number; readonly min_percent?: number };
  };
  /** What channels may name in their `…_env` fields, and nothing else. */
  readonly secrets?: Readonly<Record<string, BoundSecret>>;
  /** The methods of prediction that are on; absent: those that need no guess. */
  readonly prediction?: { readonly methods: readonly PredictionMethod[] };
  readonly remediation?: RemediationConfig;
  readonly sign_in?: {
    /** Whether devices without a browser may log in by a code; absent: they may. */
    readonly device_codes?: boolean;
    readonly company?: CompanyConfig;
  };
  /** The file of a database of countries, in MaxMind's format. */
  readonly country_database?: string;
  /** How long records are kept, in milliseconds; but `uses`, those of uses of credentials, in days (default 30). */
  readonly retention?: Partial<Retention> & { readonly uses?: number };
}

/** The company's OpenID provider, and what it decides here. */
export interface CompanyConfig {
  /** What people know it by. */
  readonly name: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly scopes: readonly string[];
  /** What a claim must say; absent: the issuer is of one organization alone. */
  readonly tenant?: { readonly claim: string; readonly value: string };
  readonly roles: readonly RoleRule[];
  /** Whether others than owners may sign in with a password. */
  readonly password: boolean;
  /** Whether admins need a second factor of this server where the provider does not say that it asked for one. */
  readonly require_second_factor: boolean;
}

/** Who has a role: those with this value in a claim, or among its entries. */
export interface RoleRule {
  readonly claim: string;
  readonly value: string;
  readonly role: string;
}

/** Charges whose cost is split among the groups of an analysis by one field. */
export interface SharedCost {
  readonly name: string;
  /** Any of the values of each field. */
  readonly match: Readonly<Record<string, readonly string[]>>;
  readonly group_by: string;
  /** Equally, by what each group costs itself, or in percent. */
  readonly split: 'even' | 'proportional' | { readonly fixed: Readonly<Record<string, number>> };
}

export const autoModes = ['run', 'plan', 'off'] as const;
export type AutoMode = (typeof autoModes)[number];

/** What remediations may do. */
export interface RemediationConfig {
  readonly approval?: Approval;
  readonly guards?: Partial<Guards>;
  readonly auto?: AutoMode;
  readonly rate?: number;
  /** `pol_…@fingerprint` */
  readonly auto_commands?: readonly string[];
  /** Values of `${NAME}` in patches. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** `inventory`, `exec:NAME` or `webhook:URL`: what carries out patches, by resource type or pattern. */
  readonly executors?: Readonly<Record<string, string>>;
  readonly commands?: Readonly<Record<string, CommandConfig>>;
  /** What requests are signed with, by host; nothing is sent to others. */
  readonly webhooks?: Readonly<Record<string, { readonly secret: string }>>;
}

/** A command of the operator, which is run without a shell. */
export interface CommandConfig {
  /** The absolute path of the program, then its arguments. */
  readonly command: readonly string[];
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly cwd?: string;
}

/** How far a remediation may reach. */
export interface Guards {
  readonly max_resources: number;
  /** Of all resources of a type, where there are more than 20. */
  readonly max_percent: number;
  readonly max_accounts: number;
  readonly max_environments: number;
  /** Only these; empty: all. */
  readonly accounts: readonly string[];
  readonly exclude_environments: readonly string[];
  /** `key`, or `key=value`. */
  readonly exclude_tags: readonly string[];
}

export const defaultOwnerTags: readonly string[] = ['owner', 'team'];

/** Tags that name an owner: the first that a resource or a charge has. */
export const ownerTagsOf = ({ owner_tags: tags }: ServerConfig): readonly string[] =>
  tags ?? defaultOwnerTags;

const defaultCostTags: readonly string[] = [
  'environment',
  'owner',
  'team',
  'project',
  'application',
  'cost-center',
];

/** The lower-case keys of the tags that charges are stored with: those of owners are always among them. */
export const costTagsOf = ({ cost, ...config }: ServerConfig): readonly string[] => [
  ...new Set(
    [...(cost?.tags ?? defaultCostTags), ...ownerTagsOf(config)].map((tag) => tag.toLowerCase()),
  ),
];

export interface SmtpConfig {
  readonly host: string;
  readonly port: number;
  /** `tls` from the first byte, `starttls` or nothing at all, or `none`: everything travels readable. */
  readonly tls: 'tls' | 'starttls' | 'none';
  /** PEM of the certificates that may sign the server's, instead of the public ones. */
  readonly ca?: string;
  readonly user?: string;
  readonly password?: string;
  /** As in `Reports <reports@example.com>`. */
  readonly from: MailAddress;
  readonly reply_to?: MailAddress;
}

export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** A secret, and where it may be sent. */
export interface BoundSecret extends Binding {
  /** Absent: the file has none, and neither has the environment. */
  readonly value?: string;
}

/** The variable, and the name among `secrets`, of the secret key that requests to storage are signed with. */
export const storageSecret = 'AWS_SECRET_ACCESS_KEY';

export interface StorageKeys extends Binding {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string;
}
