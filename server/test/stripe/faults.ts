import { setTimeout as pause } from 'node:timers/promises';

/** What can go wrong with a call: the connection is cut before or after its effect, the answer never comes, or is an error. */
export type FaultKind = 'cut_before' | 'cut_after' | 'silent_before' | 'silent_after' | 'error_500' | 'error_429';

interface Fault {
  kind: FaultKind;
  /** Of `POST /v1/refunds`, say. */
  calls: RegExp;
  left: number;
}

export class Faults {
  #faults: Fault[] = [];
  #slow: { calls: RegExp; ms: number } | undefined;

  /** Lets the next calls of a kind go wrong. */
  add(kind: FaultKind, calls = /./, times = 1): void {
    this.#faults.push({ kind, calls, left: times });
  }

  /** Each such call takes as long. */
  slow(ms: number, calls = /./): void {
    this.#slow = { calls, ms };
  }

  clear(): void {
    this.#faults = [];
    this.#slow = undefined;
  }

  take(call: string): FaultKind | undefined {
    const fault = this.#faults.find(({ calls, left }) => left > 0 && calls.test(call));
    if (fault) fault.left -= 1;
    return fault?.kind;
  }

  async wait(call: string): Promise<void> {
    if (this.#slow?.calls.test(call)) await pause(this.#slow.ms);
  }
}
