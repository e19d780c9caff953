import type { Violations } from '../frame.ts';

interface Told {
  /** 0 if there was no response. */
  status: number;
  body: string;
}

interface Seen {
  begun: number;
  ended: number;
  live: Told;
  ready: Told;
}

const EVERY_MS = 200;
/** Later responses count as none, as for an orchestrator. */
const PATIENCE_MS = 5_000;

/** Checks five times a second whether a server is alive and ready; an orchestrator does so less often. */
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

  end(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const begun = performance.now();
    const [live, ready] = await Promise.all([this.#ask('/healthz'), this.#ask('/readyz')]);
    this.seen.push({ begun, ended: performance.now(), live, ready });
  }

  async #ask(path: string): Promise<Told> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(this.#baseUrl + path, { signal }).catch(() => undefined);
    const body = await answer?.text().catch(() => undefined);
    return { status: answer?.status ?? 0, body: body ?? 'nothing' };
  }

  /** Compares the responses in a period with the expected ones. Returns their number. */
  judge(what: string, [from, to]: [number, number], ready: 200 | 503 | 'either', violations: Violations): number {
    const seen = this.seen.filter(({ begun, ended }) => begun >= from && ended <= to);
    for (const one of seen) {
      const when = `${what}, after ${Math.round(one.begun - from)} ms`;
      const [live, said] = [one.live, one.ready];
      if (live.status !== 200) violations.add(`${when}: /healthz answered ${live.status}`);
      const right = ready === 'either' ? said.status !== 0 : said.status === ready;
      if (!right) violations.add(`${when}: /readyz answered ${said.status} ${said.body}`);
    }
    if (seen.length === 0) violations.add(`${what}: nobody asked, and nothing is proven`);
    return seen.length;
  }
}
