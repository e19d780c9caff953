/**
 * Who may have how much under way at a time, in this process: a webhook 5 attempts, a tenant 20 (hazards §4.7). What goes
 * beyond waits a moment, and if nothing comes free it is told when to come back: by then those before it will be through,
 * judging by how long they take. So receivers that do not answer hold up themselves alone, whatever their number, and what
 * waits for them costs next to nothing.
 */
export interface Share {
  /** Runs the deed when there is room; else answers in how many seconds to try again. */
  take<T>(keys: ShareKeys, deed: () => Promise<T>): Promise<{ done: T } | { retry_in_seconds: number }>;
}

export interface ShareKeys {
  site_id: string;
  webhook_id: string;
}

const PER_WEBHOOK = 5;
const PER_TENANT = 20;
/** Of each tenant so many may wait for room, each so long. */
const WAITING = 10;
const PATIENCE_MS = 200;
const LONGEST_SECONDS = 60;

/** One holder of a limited number of places, and its estimate of how long a place is held. */
class Places {
  readonly #limit: number;
  #taken = 0;
  #mean_ms = 100;
  #nextFreeAt = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get full(): boolean {
    return this.#taken >= this.#limit;
  }

  get idle(): boolean {
    return this.#taken === 0 && this.#nextFreeAt <= Date.now();
  }

  take(): void {
    this.#taken += 1;
  }

  giveBack(held_ms: number): void {
    this.#taken -= 1;
    this.#mean_ms += (held_ms - this.#mean_ms) / 8;
  }

  /** A moment of one's own, behind all who were given one before. */
  bookSeconds(): number {
    this.#nextFreeAt = Math.max(this.#nextFreeAt, Date.now()) + this.#mean_ms / this.#limit;
    return Math.min((this.#nextFreeAt - Date.now()) / 1000, LONGEST_SECONDS);
  }
}

export function createShare(): Share {
  const webhooks = new Map<string, Places>();
  const tenants = new Map<string, Places>();
  const waiting = new Map<string, number>();

  async function hasRoom(site_id: string, [webhook, tenant]: [Places, Places]): Promise<boolean> {
    if (!webhook.full && !tenant.full) return true;
    const others = waiting.get(site_id) ?? 0;
    if (others >= WAITING) return false;
    waiting.set(site_id, others + 1);
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until && (webhook.full || tenant.full); ) {
      await new Promise((done) => setTimeout(done, 10));
    }
    const left = (waiting.get(site_id) ?? 1) - 1;
    if (left > 0) waiting.set(site_id, left);
    else waiting.delete(site_id);
    return !webhook.full && !tenant.full;
  }

  return {
    async take({ site_id, webhook_id }, deed) {
      const webhook = placesOf(webhooks, webhook_id, PER_WEBHOOK);
      const tenant = placesOf(tenants, site_id, PER_TENANT);
      if (!(await hasRoom(site_id, [webhook, tenant]))) {
        return { retry_in_seconds: Math.max(webhook.full ? webhook.bookSeconds() : 0, tenant.bookSeconds()) };
      }
      webhook.take();
      tenant.take();
      const start = Date.now();
      try {
        return { done: await deed() };
      } finally {
        webhook.giveBack(Date.now() - start);
        tenant.giveBack(Date.now() - start);
      }
    },
  };
}

const KEPT = 10_000;

function placesOf(all: Map<string, Places>, key: string, limit: number): Places {
  const known = all.get(key) ?? new Places(limit);
  all.set(key, known);
  if (all.size > KEPT) for (const [name, places] of all) if (places.idle && name !== key) all.delete(name);
  return known;
}
