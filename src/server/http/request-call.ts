import { applySourceHeader, parseApplySource } from '../../contract/apply-source.ts';
import type { ApplySource } from '../../contract/apply-source.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Actor, Answer, AnyBody, Call, Principal, PublicCall } from './call.ts';
import type { Deps } from '../deps.ts';
import { checkMatch } from './conditional.ts';
import { isAnswered, runOnce, storedAnswer } from './idempotency.ts';
import type { KeysUnderWay, OneTime } from './idempotency.ts';
import type { Peer } from './peer.ts';
import type { Tx } from '../store/store.ts';

/** A class, as one is made for every request: its methods are not. */
export class RequestCall implements PublicCall {
  /** Where it holds its key: lets the next one have it. */
  private letGo: (() => void) | undefined;

  constructor(
    private readonly deps: Deps,
    private readonly request: Request,
    private readonly peer: Peer,
    readonly requestId: string,
    private readonly keys: KeysUnderWay,
    private readonly once: OneTime | undefined,
    readonly isLocal: boolean,
    private readonly caller: Principal | undefined,
  ) {}

  header(name: string): string | null {
    return this.request.headers.get(name);
  }

  get remoteAddress(): string | undefined {
    return this.peer.remoteAddress;
  }

  get isHead(): boolean {
    return this.request.method === 'HEAD';
  }

  get signal(): AbortSignal {
    return this.request.signal;
  }

  private get owner(): string {
    return this.caller?.userId ?? 'anyone';
  }

  async isRepeated(): Promise<boolean> {
    if (!this.once) return false;
    this.letGo ??= await this.keys.take(this.owner, this.once);
    return isAnswered(this.deps, this.owner, this.once);
  }

  /** What it was answered before: nothing of it is looked at again, as what it is about may be gone. */
  storedAnswer(): Awaitable<Answer | undefined> {
    return this.once && storedAnswer(this.deps, this.owner, this.once);
  }

  /** What is done while it may hold its key. */
  async lettingGo<B extends AnyBody>(work: () => Awaitable<Answer<B>>): Promise<Answer<B>> {
    try {
      return await work();
    } finally {
      this.letGo?.();
    }
  }

  transact<B extends string | undefined>(
    work: (tx: Tx) => Promise<Answer<B>>,
    owner = this.owner,
  ): Promise<Answer<B>> {
    const { deps, once } = this;
    return deps.store.transact(
      (tx) => (once ? runOnce(deps, tx, owner, once, work) : work(tx)),
      this.caller?.countedAs ?? owner,
    );
  }
}

export class AuthorisedCall extends RequestCall implements Call {
  constructor(
    deps: Deps,
    request: Request,
    peer: Peer,
    requestId: string,
    keys: KeysUnderWay,
    once: OneTime | undefined,
    isLocal: boolean,
    readonly principal: Principal,
  ) {
    super(deps, request, peer, requestId, keys, once, isLocal, principal);
  }

  /** @throws GovctlError malformed_request for a source that cannot be read */
  get actor(): Actor {
    return {
      userId: this.principal.userId,
      via: this.principal.via,
      requestId: this.requestId,
      ...defined({ source: readSource(this.header(applySourceHeader)) }),
    };
  }

  checkMatch(revision: number): void {
    checkMatch(this.header('if-match'), revision);
  }
}

function readSource(header: string | null): ApplySource | undefined {
  if (header === null) return undefined;
  const source = parseApplySource(header);
  if (source) return source;
  throw new GovctlError('malformed_request', 'Invalid Govctl-Source header', {
    hint: 'Send commit="<SHA>", branch="<percent-encoded name>" and dirty, separated by commas, or omit the header.',
  });
}
