import type { FileKey } from './encryption.ts';
import { DamagedBackup, FileCounter, type Frame, type Header, RowCounter, readFrames } from './format.ts';

/** The verified content of a backup. */
export interface Contents {
  header: Header;
  /** The number of rows of each table of the header. */
  rows: number[];
  files: { count: number; bytes: number };
}

/** Reads a whole backup, and compares every table and file with its count and checksum. Throws DamagedBackup. */
export async function verify(file: string, key?: FileKey): Promise<Contents> {
  let header: Header | undefined;
  const rows: number[] = [];
  const files = { count: 0, bytes: 0 };
  for await (const frame of checkedFrames(file, key)) {
    if (frame.kind === 'header') header = frame.header;
    if (frame.kind === 'tableEnd') rows.push(frame.end.rows);
    if (frame.kind === 'fileEnd') {
      files.count += 1;
      files.bytes += frame.end.bytes;
    }
  }
  if (!header || rows.length !== header.tables.length) throw new DamagedBackup(file, 'tables are missing in it');
  return { header, rows, files };
}

/** Yields the frames, and checks their order and checksums while reading. Throws DamagedBackup. */
export async function* checkedFrames(file: string, key?: FileKey): AsyncGenerator<Frame> {
  let counter: RowCounter | undefined;
  let content: FileCounter | undefined;
  let tables = 0;
  let begun = false;
  for await (const frame of readFrames(file, key)) {
    if ((frame.kind === 'header') === begun) throw new DamagedBackup(file, 'it is damaged');
    begun = true;
    if (frame.kind === 'table') {
      if (counter || frame.index !== tables) throw new DamagedBackup(file, 'its tables are out of order');
      counter = new RowCounter();
    }
    if ((frame.kind === 'rows' && !counter) || (frame.kind === 'bytes' && !content))
      throw new DamagedBackup(file, 'it is damaged');
    if (frame.kind === 'rows') counter?.add(frame.rows);
    if (frame.kind === 'tableEnd') {
      const found = counter?.end();
      if (found?.sha256 !== frame.end.sha256 || found.rows !== frame.end.rows) {
        throw new DamagedBackup(file, 'the rows of a table do not match its checksum');
      }
      counter = undefined;
      tables += 1;
    }
    if (frame.kind === 'file') {
      if (counter || content) throw new DamagedBackup(file, 'its files are out of order');
      content = new FileCounter();
    }
    if (frame.kind === 'bytes') content?.add(frame.bytes);
    if (frame.kind === 'fileEnd') {
      const found = content?.end();
      if (found?.sha256 !== frame.end.sha256 || found.bytes !== frame.end.bytes) {
        throw new DamagedBackup(file, 'a file in it does not match its checksum');
      }
      content = undefined;
    }
    if (frame.kind === 'end' && (frame.tables !== tables || counter || content))
      throw new DamagedBackup(file, 'tables are missing in it');
    yield frame;
  }
}
