import { readdirSync, readFileSync } from 'node:fs';

const EVERY_MS = 100;

/** Measures how far the memory of a process and its children exceeds the memory that the process used at the start. */
export class FamilyMemory {
  readonly #pid: () => number;
  readonly #timer: NodeJS.Timeout;
  readonly #atFirst: number;
  #most = 0;

  constructor(pid: () => number) {
    this.#pid = pid;
    this.#atFirst = this.#now(true);
    this.#timer = setInterval(() => {
      this.#most = Math.max(this.#most, this.#now());
    }, EVERY_MS);
  }

  /** Returns the largest increase in megabytes. */
  end(): number {
    clearInterval(this.#timer);
    return Math.max(0, Math.round((this.#most - this.#atFirst) / 1_000));
  }

  /** Returns the current memory in kilobytes. */
  #now(alone = false): number {
    const pid = this.#pid();
    const all = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => statusOf(name));
    const family = all.filter((one) => one.pid === pid || (!alone && one.parent === pid));
    return family.reduce((sum, { resident }) => sum + resident, 0);
  }
}

function statusOf(pid: string) {
  const text = readStatus(pid);
  const numberOf = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return { pid: Number(pid), parent: numberOf('PPid'), resident: numberOf('RssAnon') };
}

/** Returns the status of a process; an empty text if it has ended. */
function readStatus(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
