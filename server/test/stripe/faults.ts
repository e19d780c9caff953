import { setTimeout as pause } from 'node:timers/promises';

/**
 * The way in which a request fails: the connection is cut, or no response is sent, each before or after the request
 * takes effect; or the response is an error.
 */
export type FaultKind = 'cut_before' | 'cut_after' | 'silent_before' | 'silent_after' | 'error_500' | 'error_429';

interface Fault extends FaultOptions {
  kind: FaultKind;
  /** Matches the requests that fail, for example `POST /v1/refunds`. */
  calls: RegExp;
  left: number;
}

export interface FaultOptions {
  /** Number of matching requests that succeed before the first one fails. */
  skip?: number;
  /** If given, only requests of this account fail. */
  account?: string;
  /** Called when the request fails, for example before the connection is cut. */
  also?: () => void;
}

export class Faults {
  #faults: Fault[] = [];
  #slow: { calls: RegExp; ms: number } | undefined;

  /** Makes the next matching requests fail. */
  add(kind: FaultKind, calls = /./, times = 1, options: FaultOptions = {}): void {
    this.#faults.push({ ...options, kind, calls, left: times });
  }

  /** Delays each matching request. */
  slow(ms: number, calls = /./): void {
    this.#slow = { calls, ms };
  }

  /** Clears the delay, and the faults of one account or of all. */
  clear(account?: string): void {
    this.#faults = account === undefined ? [] : this.#faults.filter((fault) => fault.account !== account);
    this.#slow = undefined;
  }

  take(call: string, by: string): Fault | undefined {
    const fault = this.#faults.find(
      ({ calls, left, account }) => left > 0 && calls.test(call) && (account === undefined || account === by),
    );
    if (!fault) return undefined;
    if (fault.skip) {
      fault.skip -= 1;
      return undefined;
    }
    fault.left -= 1;
    return fault;
  }

  async wait(call: string): Promise<void> {
    if (this.#slow?.calls.test(call)) await pause(this.#slow.ms);
  }
}
