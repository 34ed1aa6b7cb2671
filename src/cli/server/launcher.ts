import type { Fetch } from '../../client/http.ts';

/** The flags of `govctl server`, parsed. */
export interface ServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly dataDir: string;
  /** `lowdb` or a postgres:// url. */
  readonly store: string;
  /** Use this key instead of a generated one. */
  readonly apiKey?: string;
  /** Base64 of 32 bytes: seals stored secrets, instead of secret.key in the data folder. */
  readonly secretKey?: string;
  /** Written when listener and recovery are done: {"base_url", "pid"}. */
  readonly readyFile?: string;
  readonly publicUrl?: string;
  /** CIDRs. */
  readonly allowTargets: readonly string[];
  /** Paths of PEM files. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly clientCa?: string };
  /** Paths of PEM files: what signs reports, instead of a key that the server makes. */
  readonly signing?: { readonly cert: string; readonly key: string };
  /** Path of a YAML file: mail server, chat channels, storage. */
  readonly configFile?: string;
  /** What that file and schedules may refer to. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly rateLimit?: 'enforce' | 'report' | 'off';
  readonly metrics: boolean;
  /** Where metrics are served without a token. */
  readonly metricsListen?: { readonly host: string; readonly port: number };
  /** Bytes of an import. */
  readonly maxImportBytes?: number;
  /** Connections that are open at once. */
  readonly maxConnections?: number;
  /** Paths of files that contain a secret; the server tells of those that others can read. */
  readonly secretFiles?: readonly string[];
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Ends the loading of stored data, with its reason. */
  readonly signal?: AbortSignal;
}

/** How a stop ended. */
export interface Stopped {
  /** What was not finished, in words. */
  readonly cutOff: readonly string[];
  /** What did not end in time, so that the process has to be ended. */
  readonly stuck?: string;
}

export interface RunningServer {
  readonly baseUrl: string;
  /** Absent when the data folder's key was printed at an earlier start. */
  readonly apiKey?: { readonly key: string; readonly generated: boolean };
  /** false: the data folder's key lets nobody in, as its first owner signed in. */
  readonly apiKeyWorks?: boolean;
  /** Lines an operator should read, such as a torn journal tail that was cut. */
  readonly notices: readonly string[];
  /** Only this machine can reach it, so that tests may change its clock, its data and its answers. */
  readonly isLocal?: boolean;
  /** The service without the socket. */
  readonly fetch: Fetch;
  /** Reads the files of TLS again, and logs how that went. */
  reload(): Promise<void>;
  /** Finishes what it has begun, refuses new work, folds the journal, in 9 seconds at most. */
  stop(): Promise<Stopped>;
}

/** @throws GovctlError when the address, a file or the data folder can't be used */
export type LaunchServer = (options: ServerOptions) => Promise<RunningServer>;
