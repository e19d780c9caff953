/**
 * Limits the number of concurrent attempts in this process: 5 per webhook, 20 per tenant, and the configured number in
 * all. A tenant gets at most half of the free slots (a dynamic threshold, as in the shared buffers of network
 * switches), so that the last slots go to tenants that use few. An attempt above these limits waits up to 200 ms. If no
 * slot becomes free, it gets a retry time: when the earlier attempts should have ended, estimated from their mean
 * duration. Unresponsive receivers therefore delay others little.
 */
export interface Share {
  /** Runs the work if there is a free slot. Otherwise returns the seconds until a retry. */
  take<T>(keys: ShareKeys, work: () => Promise<T>): Promise<{ done: T } | { retry_in_seconds: number }>;
}

export interface ShareKeys {
  site_id: string;
  webhook_id: string;
}

const PER_WEBHOOK = 5;
const PER_TENANT = 20;
/** Maximum number of attempts that wait for a slot, in all and per tenant, and their maximum waiting time. */
export const WAITING_JOBS = 40;
const WAITING_PER_TENANT = 10;
const LONGEST_WAIT_MS = 200;
const POLL_MS = 10;
const LONGEST_SECONDS = 60;

/** A limited number of slots, with an estimate of how long they are used on average. */
class Slots {
  readonly #limit: number;
  #taken = 0;
  #mean_ms = 100;
  #nextFreeAt = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  get free(): number {
    return this.#limit - this.#taken;
  }

  get idle(): boolean {
    return this.#taken === 0 && this.#nextFreeAt <= Date.now();
  }

  take(): void {
    this.#taken += 1;
  }

  release(held_ms: number): void {
    this.#taken -= 1;
    this.#mean_ms += (held_ms - this.#mean_ms) / 8;
  }

  /**
   * Returns the seconds until a retry, at most LONGEST_SECONDS. Below this maximum, each retry is later than the
   * previous one.
   */
  reserveSeconds(): number {
    this.#nextFreeAt = Math.max(this.#nextFreeAt, Date.now()) + this.#mean_ms / this.#limit;
    return Math.min((this.#nextFreeAt - Date.now()) / 1000, LONGEST_SECONDS);
  }
}

/** Slots that tenants share, each up to its own limit. */
class Shared {
  readonly #all: Slots;
  readonly #tenants = new Map<string, Slots>();
  readonly #perTenant: number;

  constructor(slots: number, perTenant: number) {
    this.#all = new Slots(slots);
    this.#perTenant = perTenant;
  }

  of(site_id: string): Slots {
    return slotsOf(this.#tenants, site_id, this.#perTenant);
  }

  hasRoom(site_id: string): boolean {
    const own = this.of(site_id);
    return own.free > 0 && own.taken < this.#all.free / 2;
  }

  hold<T>(site_id: string, work: () => Promise<T>): Promise<T> {
    return held([this.of(site_id), this.#all], work);
  }
}

/** Creates the limits. `slots` is the maximum number of concurrent attempts. */
export function createShare(slots: number): Share {
  const webhooks = new Map<string, Slots>();
  const tenants = new Shared(slots, PER_TENANT);
  const waiting = new Shared(WAITING_JOBS, WAITING_PER_TENANT);

  return {
    async take({ site_id, webhook_id }, work) {
      const webhook = slotsOf(webhooks, webhook_id, PER_WEBHOOK);
      const hasRoom = () => webhook.free > 0 && tenants.hasRoom(site_id);
      if (!hasRoom() && waiting.hasRoom(site_id)) await waiting.hold(site_id, () => wait(hasRoom));
      if (!hasRoom()) {
        const tenant = tenants.of(site_id);
        return { retry_in_seconds: Math.max(webhook.free > 0 ? 0 : webhook.reserveSeconds(), tenant.reserveSeconds()) };
      }
      return { done: await tenants.hold(site_id, () => held([webhook], work)) };
    },
  };
}

/** Resolves when a slot becomes free, or after LONGEST_WAIT_MS. */
async function wait(hasRoom: () => boolean): Promise<void> {
  for (const until = Date.now() + LONGEST_WAIT_MS; Date.now() < until && !hasRoom(); ) {
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

async function held<T>(slots: Slots[], work: () => Promise<T>): Promise<T> {
  for (const slot of slots) slot.take();
  const start = Date.now();
  try {
    return await work();
  } finally {
    for (const slot of slots) slot.release(Date.now() - start);
  }
}

const KEPT = 10_000;

function slotsOf(all: Map<string, Slots>, key: string, limit: number): Slots {
  const known = all.get(key) ?? new Slots(limit);
  all.set(key, known);
  if (all.size > KEPT) for (const [name, slots] of all) if (slots.idle && name !== key) all.delete(name);
  return known;
}
