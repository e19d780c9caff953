import { Worker } from 'node:worker_threads';

/**
 * Requests `/healthz` repeatedly in a separate thread, so that other work of this process does not make the server look
 * slow.
 */
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

  async reset(): Promise<void> {
    await this.longest();
  }

  /** Returns the longest wait since the last call, in milliseconds, including the wait for an open request. */
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
