/** Callers wait while the gate is closed. Callers that have already passed continue. */
export class Gate {
  #opened: Promise<void> = Promise.resolve();
  #open = () => {};

  close(): void {
    this.#open();
    this.#opened = new Promise((open) => {
      this.#open = open;
    });
  }

  open(): void {
    this.#open();
  }

  pass(): Promise<void> {
    return this.#opened;
  }
}
