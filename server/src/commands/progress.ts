/** Prints a message for people to stderr, because stdout is for programs. */
export function printProgress(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
