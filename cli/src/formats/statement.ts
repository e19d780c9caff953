import { open } from 'node:fs/promises';
import { readCamt } from './camt.ts';
import { FormatError } from './reading.ts';
import { readStatementCsv } from './statement-csv.ts';
import type { Transfer } from './transfer.ts';

const LARGEST_BYTES = 20 * 1024 * 1024;

/**
 * The incoming payments of a bank statement: CAMT.053 (ISO 20022), or the CSV of a bank. Throws a FormatError that says what is
 * missing, and the file system's own error when the file cannot be read.
 */
export async function readStatement(path: string): Promise<Transfer[]> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > LARGEST_BYTES) throw new FormatError(`${path} has more than 20 MB. Export fewer days at a time.`);
    const text = decode(await file.readFile());
    if (text.trim() === '') throw new FormatError(`${path} is empty.`);
    return text.trimStart().startsWith('<') ? readCamt(text, path) : await readStatementCsv(text, path);
  } finally {
    await file.close();
  }
}

/** Banks write UTF-8, or the older encoding of Windows. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
