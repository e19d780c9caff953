/**
 * Who may have how much under way at a time, in this process: a webhook 5 attempts, a tenant 20, all together as many as is
 * configured (hazards §4.7). A tenant has no more than half of what is free besides (a dynamic threshold, as switches
 * share their buffers by), so that the last places are for those who have few. What goes beyond waits a moment, and if nothing comes free
 * it is told when to come back: by then those before it will be through, judging by how long they take. So receivers that do
 * not answer hold up themselves alone, whatever their number and that of their tenants, and what waits costs next to nothing.
 */
export interface Share {
  /** Runs the work when there is room; else answers in how many seconds to try again. */
  take<T>(keys: ShareKeys, work: () => Promise<T>): Promise<{ done: T } | { retry_in_seconds: number }>;
}

export interface ShareKeys {
  site_id: string;
  webhook_id: string;
}

const PER_WEBHOOK = 5;
const PER_TENANT = 20;
/** So many may wait for a place, of each tenant a few, each so long. */
export const WAITING_JOBS = 40;
const WAITING_PER_TENANT = 10;
const PATIENCE_MS = 200;
const LOOK_EVERY_MS = 10;
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

  giveBack(held_ms: number): void {
    this.#taken -= 1;
    this.#mean_ms += (held_ms - this.#mean_ms) / 8;
  }

  /** A moment of one's own, behind all who were given one before. */
  reserveSeconds(): number {
    this.#nextFreeAt = Math.max(this.#nextFreeAt, Date.now()) + this.#mean_ms / this.#limit;
    return Math.min((this.#nextFreeAt - Date.now()) / 1000, LONGEST_SECONDS);
  }
}

/** A limited number of places that tenants share, each up to a limit of its own. */
class Shared {
  readonly #all: Places;
  readonly #tenants = new Map<string, Places>();
  readonly #perTenant: number;

  constructor(places: number, perTenant: number) {
    this.#all = new Places(places);
    this.#perTenant = perTenant;
  }

  of(site_id: string): Places {
    return placesOf(this.#tenants, site_id, this.#perTenant);
  }

  hasRoom(site_id: string): boolean {
    const own = this.of(site_id);
    return own.free > 0 && own.taken < this.#all.free / 2;
  }

  hold<T>(site_id: string, work: () => Promise<T>): Promise<T> {
    return held([this.of(site_id), this.#all], work);
  }
}

/** `places` is how many attempts may be under way. */
export function createShare(places: number): Share {
  const webhooks = new Map<string, Places>();
  const tenants = new Shared(places, PER_TENANT);
  const waiting = new Shared(WAITING_JOBS, WAITING_PER_TENANT);

  return {
    async take({ site_id, webhook_id }, work) {
      const webhook = placesOf(webhooks, webhook_id, PER_WEBHOOK);
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

/** Until there is room, or patience is at its end. */
async function wait(hasRoom: () => boolean): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until && !hasRoom(); ) {
    await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
  }
}

async function held<T>(places: Places[], work: () => Promise<T>): Promise<T> {
  for (const place of places) place.take();
  const start = Date.now();
  try {
    return await work();
  } finally {
    for (const place of places) place.giveBack(Date.now() - start);
  }
}

const KEPT = 10_000;

function placesOf(all: Map<string, Places>, key: string, limit: number): Places {
  const known = all.get(key) ?? new Places(limit);
  all.set(key, known);
  if (all.size > KEPT) for (const [name, places] of all) if (places.idle && name !== key) all.delete(name);
  return known;
}
