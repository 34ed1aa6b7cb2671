import { createHash, verify } from 'node:crypto';
import type { AuditEntry, AuditHead } from '../../contract/audit-log.ts';
import { auditText, chainStart, signedText } from '../../contract/audit-log.ts';
import { keyIdOf, readPublicKey } from '../../report/sign/public-key.ts';

/** An entry at an end of the chain. */
export interface ChainEnd {
  readonly sequence: number;
  /** Lower-case hex. */
  readonly hash: string;
}

export interface Problem {
  /** Of the entry, or the first of those, that it is about. */
  readonly sequence?: number;
  readonly id?: string;
  readonly message: string;
}

/** Problems after which nothing more is looked at. */
const mostProblems = 20;

/** Follows the chain from its beginning, entry by entry. */
export class ChainCheck {
  readonly problems: Problem[] = [];
  count = 0;
  /** Written before the server chained its entries. */
  unchained = 0;
  #last: ChainEnd;
  #earlier: ChainEnd | undefined;

  /**
   * @param anchor up to where entries were removed
   * @param earlier an end that the chain had, and still has to have
   */
  constructor(anchor: ChainEnd | undefined, earlier: ChainEnd | undefined) {
    this.#last = anchor ?? { sequence: 0, hash: chainStart };
    this.#earlier = earlier;
    this.#compareEarlier(this.#last);
    if (earlier && earlier.sequence < this.#last.sequence) {
      this.#tell(
        `entry ${earlier.sequence} of --head was removed with all entries up to ${this.#last.sequence}, so its hash cannot be verified`,
        { sequence: earlier.sequence },
      );
      this.#earlier = undefined;
    }
  }

  get isDone(): boolean {
    return this.problems.length >= mostProblems;
  }

  get last(): ChainEnd {
    return this.#last;
  }

  add(entry: AuditEntry): void {
    const { sequence, id } = entry;
    this.count += 1;
    const next = this.#last.sequence + 1;
    const isNext = sequence === next;
    if (!isNext) this.#tell(gap(next, sequence), { sequence: next });
    if (entry.hash === undefined) {
      if (this.count === this.unchained + 1) this.unchained += 1;
      else this.#tell(`entry ${sequence} has no hash`, { sequence, id });
      this.#last = { sequence, hash: this.#last.hash };
      return;
    }
    if (createHash('sha256').update(auditText(entry)).digest('hex') !== entry.hash) {
      this.#tell(`entry ${sequence} was changed: its content does not match its hash`, {
        sequence,
        id,
      });
    } else if (isNext && entry.prev !== this.#last.hash) {
      this.#tell(`entry ${sequence} does not match the hash of the previous entry`, {
        sequence,
        id,
      });
    }
    this.#last = { sequence, hash: entry.hash };
    this.#compareEarlier(this.#last);
  }

  /** Ends the chain. @param head where the server says that it ends @param has how many entries it has */
  end(head: ChainEnd, has: number): void {
    if (head.sequence === 0 && has > 0) {
      this.#tell('the server has no hash chain because its store is not writable', {});
    }
    const { sequence, hash } = this.#last;
    if (this.isDone) return;
    if (sequence < head.sequence) {
      this.#tell(gap(sequence + 1, head.sequence + 1), { sequence: sequence + 1 });
    } else if (hash !== head.hash) {
      this.#tell(`entry ${sequence} does not match the head of the log`, {
        sequence,
      });
    }
    if (this.#earlier && this.#earlier.sequence > sequence) {
      this.#tell(
        `the log ends with entry ${sequence}, but once contained entry ${this.#earlier.sequence}: the log was truncated`,
        { sequence: sequence + 1 },
      );
    }
  }

  #compareEarlier({ sequence, hash }: ChainEnd): void {
    if (this.#earlier?.sequence !== sequence || this.#earlier.hash === hash) return;
    this.#tell(`entry ${sequence} does not match the hash in --head: the log was rewritten`, {
      sequence,
    });
  }

  #tell(message: string, where: Omit<Problem, 'message'>): void {
    if (!this.isDone) this.problems.push({ ...where, message });
  }
}

const gap = (from: number, next: number): string =>
  next <= from
    ? `entry ${next} is repeated after entry ${from - 1}`
    : next === from + 1
      ? `entry ${from} is missing`
      : `entries ${from} to ${next - 1} are missing`;

/** Whether the server's head, and its anchor, carry the signature of the key that it shows. */
export function checkSignatures({ head, anchor, key }: AuditHead): Problem[] {
  const problems: Problem[] = [];
  const publicKey = readPublicKey(key.public_key);
  if (!publicKey) return [{ message: "the server's key is not an Ed25519 public key" }];
  if (keyIdOf(publicKey) !== key.id) {
    problems.push({ message: "the server's key does not match its ID" });
  }
  for (const [name, end] of [
    ['head', head],
    ['anchor', anchor],
  ] as const) {
    if (!end) continue;
    const signature = Buffer.from(end.signature, 'base64');
    const isSigned =
      end.key_id === key.id && verify(null, Buffer.from(signedText(end)), publicKey, signature);
    if (!isSigned) {
      problems.push({
        sequence: end.sequence,
        message: `the ${name} of the log is not signed with the server's key`,
      });
    }
  }
  return problems;
}
