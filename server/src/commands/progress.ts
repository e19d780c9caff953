/** A sentence for the person at the terminal. It goes to stderr: stdout is for what a program may read. */
export function printProgress(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
