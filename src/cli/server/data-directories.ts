/** A directory that is read, and whom to tell. */
interface Reading {
  readonly signal: AbortSignal;
  /** Told of what is done, and of the bytes so far. */
  readonly progress: (doing: string, bytes: number) => void;
}

export interface Damage {
  /** Path in the directory. */
  readonly file: string;
  readonly line?: number;
  readonly what: string;
  readonly lost: string;
  readonly way_out: string;
}

export interface Verified {
  readonly kind: 'backup' | 'data_directory';
  readonly intact: boolean;
  readonly damage: readonly Damage[];
  readonly notes: readonly string[];
  readonly taken_at?: string;
  readonly version?: string;
  readonly last_commit?: number;
  readonly last_commit_at?: string;
  readonly records?: Readonly<Record<string, number>>;
  /** Pieces of work, by family of lanes. */
  readonly waiting?: Readonly<Record<string, number>>;
  readonly audit_log?: { readonly entries: number; readonly first: number; readonly last: number };
  readonly files?: { readonly count: number; readonly bytes: number; readonly unused: number };
  readonly secret_key: boolean;
  readonly bytes: number;
}

interface Backup {
  readonly commit: number;
  readonly taken_at: string;
  readonly last_commit_at: string;
  readonly records: Readonly<Record<string, number>>;
  readonly files: number;
  readonly bytes: number;
  readonly secret_key: boolean;
  readonly damage: readonly string[];
}

interface RestoredBackup {
  readonly verified: Verified;
  readonly replaced?: string;
}

/** What is done with data directories without a server, or beside one. Paths are absolute. @throws GovctlError */
export interface DataDirectories {
  backup(
    options: Reading & {
      readonly source: string;
      readonly target: string;
      readonly withSecretKey: boolean;
      readonly version: string;
      readonly now: () => number;
    },
  ): Promise<Backup>;
  verify(options: Reading & { readonly dir: string }): Promise<Verified>;
  restore(
    options: Reading & {
      readonly dir: string;
      readonly target: string;
      readonly force: boolean;
      readonly now: () => number;
    },
  ): Promise<RestoredBackup>;
}
