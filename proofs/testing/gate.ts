/** While the gate is closed, callers wait at it. Those that have passed continue. */
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
