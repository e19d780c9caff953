import { vi } from 'vitest';

/** Runs a command in this process. Returns the text that it writes to the standard output. Nothing is printed. */
export async function printedBy(work: () => Promise<unknown>): Promise<string> {
  const printed: string[] = [];
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  const err = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  try {
    await work();
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
  return printed.join('');
}
