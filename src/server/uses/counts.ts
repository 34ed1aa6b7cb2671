import type { RequestEvent } from '../observe/request-event.ts';
import { methodOf } from '../observe/request-event.ts';

export const minute = 60_000;

export interface CountLimits {
  /** Lines of a minute. */
  readonly lines: number;
  /** Those of them without a known credential: anybody can cause them. */
  readonly unknown: number;
}

/** Requests that are counted together. */
interface Line {
  readonly via: string | undefined;
  readonly actor: string | undefined;
  readonly address: string | undefined;
  readonly method: string;
  readonly route: string | undefined;
  readonly outcome: string;
  readonly others?: true;
  count: number;
}

/** Lines of a credential that are looked through one by one, which is cheaper than making a text to look them up by. */
const few = 32;

/** The lines of one credential. */
class Lines {
  readonly first: Line[] = [];
  readonly more = new Map<string, Line>();

  get size(): number {
    return this.first.length + this.more.size;
  }

  find({ address, method, route, outcome }: Line): Line | undefined {
    for (const line of this.first) {
      const isSame =
        line.route === route &&
        line.outcome === outcome &&
        line.method === method &&
        line.address === address;
      if (isSame) return line;
    }
    return this.more.size === 0 ? undefined : this.more.get(textOf(address, method, route, outcome)); // prettier-ignore
  }

  put(line: Line): void {
    const { address, method, route, outcome } = line;
    if (this.first.length < few) this.first.push(line);
    else this.more.set(textOf(address, method, route, outcome), line);
  }
}

const textOf = (...parts: readonly (string | undefined)[]): string => parts.join(' ');

/** Counts the requests of one minute; what is too much to tell apart, by endpoint and outcome only. */
export class UseCounts {
  /** Lines without a known credential. */
  unknown = 0;
  #known = 0;
  readonly #lines = new Map<string | undefined, Lines>();
  readonly #others = new Lines();

  /** @param start milliseconds since the epoch */
  constructor(
    readonly start: number,
    private readonly limits: CountLimits,
  ) {}

  add(event: RequestEvent): void {
    const line = lineOf(event);
    const mine = this.#lines.get(line.via);
    const found = mine?.find(line);
    if (found) found.count += 1;
    else if (this.#isFull(line)) this.#addToOthers(line);
    else this.#begin(line, mine);
  }

  get lines(): number {
    return this.#known + this.unknown + this.#others.size;
  }

  /** JSON of each line but for its time. */
  *texts(): Generator<string> {
    for (const lines of [...this.#lines.values(), this.#others]) {
      for (const line of lines.first) yield fieldsOf(line);
      for (const line of lines.more.values()) yield fieldsOf(line);
    }
  }

  #isFull({ via }: Line): boolean {
    const { lines, unknown } = this.limits;
    return this.#known + this.unknown >= lines || (via === undefined && this.unknown >= unknown);
  }

  #begin(line: Line, mine = new Lines()): void {
    if (line.via === undefined) this.unknown += 1;
    else this.#known += 1;
    mine.put(line);
    this.#lines.set(line.via, mine);
  }

  #addToOthers({ method, route, outcome }: Line): void {
    const who = { via: undefined, actor: undefined, address: undefined };
    const line: Line = { ...who, method, route, outcome, others: true, count: 1 };
    const found = this.#others.find(line);
    if (found) found.count += 1;
    else this.#others.put(line);
  }
}

const classes = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx'];

function lineOf(event: RequestEvent): Line {
  const { via, actor, address, status, error, route } = event;
  // Owners of no credential could ask for any endpoint.
  const isUnknown = via === undefined && (error === 'invalid_token' || error === 'invalid_client');
  return {
    via,
    actor,
    address,
    method: methodOf(event),
    route: isUnknown ? undefined : route,
    outcome: error ?? classes[Math.floor(status / 100)] ?? '5xx',
    count: 1,
  };
}

/** Nothing here needs escaping: a proxy's word was found sane, the rest is ours. */
function fieldsOf({ via, actor, address, method, route, outcome, others, count }: Line): string {
  const who = via === undefined ? '' : `"credential":"${via}","actor":"${actor ?? ''}",`;
  const from = address === undefined ? '' : `"address":"${address}",`;
  const place = route === undefined ? '' : `"endpoint":"${method} ${route}",`;
  const rest = others ? ',"others":true' : '';
  return `${who}${from}${place}"outcome":"${outcome}","count":${count}${rest}`;
}
