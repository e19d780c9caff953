import { setTimeout as sleep } from 'node:timers/promises';
import type { Violations } from '../testing/proof.ts';

interface Response {
  /** The status of the response; 0 if there was none. */
  status: number;
  body: string;
}

interface Seen {
  begun: number;
  ended: number;
  live: Response;
  ready: Response;
}

const EVERY_MS = 200;
const QUICK_MS = 500;
const QUICK_WITHIN_MS = 60_000;
/** Later responses count as missing, because an orchestrator would not wait for them. */
const RESPONSE_WITHIN_MS = 5_000;

/** Checks five times a second whether a server is alive and ready; an orchestrator checks less often. */
export class HealthProbe {
  readonly seen: Seen[] = [];
  readonly #baseUrl: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  begin(): void {
    this.#timer = setInterval(() => void this.#look(), EVERY_MS);
  }

  /** Waits for a quick response, because a server that has just become ready still loads modules. */
  async firstQuickResponse(): Promise<void> {
    const until = performance.now() + QUICK_WITHIN_MS;
    const isQuick = ({ begun, ended }: Seen) => ended - begun < QUICK_MS;
    while (!this.seen.some(isQuick) && performance.now() < until) await sleep(EVERY_MS);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const begun = performance.now();
    const [live, ready] = await Promise.all([this.#ask('/healthz'), this.#ask('/readyz')]);
    this.seen.push({ begun, ended: performance.now(), live, ready });
  }

  async #ask(path: string): Promise<Response> {
    const signal = AbortSignal.timeout(RESPONSE_WITHIN_MS);
    const answer = await fetch(this.#baseUrl + path, { signal }).catch(() => undefined);
    const body = await answer?.text().catch(() => undefined);
    return { status: answer?.status ?? 0, body: body ?? 'nothing' };
  }

  /** Compares the responses in a period with the expected ones. Returns the number of probes. */
  judge(what: string, [from, to]: [number, number], ready: 200 | 503 | 'either', violations: Violations): number {
    const seen = this.seen.filter(({ begun, ended }) => begun >= from && ended <= to);
    for (const one of seen) {
      const when = `${what}, after ${Math.round(one.begun - from)} ms`;
      const [live, readiness] = [one.live, one.ready];
      if (live.status !== 200) violations.add(`${when}: /healthz: expected 200, got ${live.status}`);
      const right = ready === 'either' ? readiness.status !== 0 : readiness.status === ready;
      if (!right)
        violations.add(
          `${when}: /readyz: expected ${ready === 'either' ? 'a response' : ready}, got ${readiness.status} ${readiness.body}`,
        );
    }
    if (seen.length === 0) violations.add(`${what}: no probe was sent, so the proof shows nothing`);
    return seen.length;
  }
}
