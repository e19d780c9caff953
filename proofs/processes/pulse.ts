import { Worker } from 'node:worker_threads';

/** Asks for `/healthz` without pause, in a thread of its own, so that our own work does not look like the server's. */
export class Pulse {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  static async of(port: number): Promise<Pulse> {
    const worker = new Worker(new URL('./pulse-thread.ts', import.meta.url), { workerData: { port } });
    const pulse = new Pulse(worker);
    await pulse.reset();
    return pulse;
  }

  /** Forgets what was measured so far. */
  async reset(): Promise<void> {
    await this.longest();
  }

  /** The longest wait since the last question, in milliseconds, that of a request still open included. */
  longest(): Promise<number> {
    return new Promise((resolve) => {
      this.#worker.once('message', resolve);
      this.#worker.postMessage('longest');
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
