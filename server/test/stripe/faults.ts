import { setTimeout as pause } from 'node:timers/promises';

/** Faults of a call: the connection is cut before or after its effect, there is no response, or it is an error. */
export type FaultKind = 'cut_before' | 'cut_after' | 'silent_before' | 'silent_after' | 'error_500' | 'error_429';

interface Fault extends FaultOptions {
  kind: FaultKind;
  /** Which calls have the fault, for instance `POST /v1/refunds`. */
  calls: RegExp;
  left: number;
}

export interface FaultOptions {
  /** How many such calls succeed first. */
  skip?: number;
  /** Only calls of this account have the fault. */
  account?: string;
  /** Called at that moment, for instance before the connection is cut. */
  also?: () => void;
}

export class Faults {
  #faults: Fault[] = [];
  #slow: { calls: RegExp; ms: number } | undefined;

  /** Makes the next calls of a kind go wrong. */
  add(kind: FaultKind, calls = /./, times = 1, options: FaultOptions = {}): void {
    this.#faults.push({ ...options, kind, calls, left: times });
  }

  /** Delays each such call by this time. */
  slow(ms: number, calls = /./): void {
    this.#slow = { calls, ms };
  }

  /** Clears the faults of one account, or all. */
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
