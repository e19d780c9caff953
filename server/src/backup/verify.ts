import { DamagedBackup, type Frame, type Header, RowCounter, readFrames } from './format.ts';

/** What a backup holds, as it was read back. */
export interface Contents {
  header: Header;
  /** Of each table of the header. */
  rows: number[];
}

/** Reads a backup to its end, and holds every table against its count and checksum. Throws DamagedBackup. */
export async function verify(file: string): Promise<Contents> {
  let header: Header | undefined;
  const rows: number[] = [];
  for await (const frame of checkedFrames(file)) {
    if (frame.kind === 'header') header = frame.header;
    if (frame.kind === 'tableEnd') rows.push(frame.end.rows);
  }
  if (!header || rows.length !== header.tables.length) throw new DamagedBackup(file, 'tables are missing in it');
  return { header, rows };
}

/** The frames in their order, or DamagedBackup. */
export async function* checkedFrames(file: string): AsyncGenerator<Frame> {
  let counter: RowCounter | undefined;
  let tables = 0;
  let begun = false;
  for await (const frame of readFrames(file)) {
    if ((frame.kind === 'header') === begun) throw new DamagedBackup(file, 'it is damaged');
    begun = true;
    if (frame.kind === 'table') {
      if (counter || frame.index !== tables) throw new DamagedBackup(file, 'its tables are out of order');
      counter = new RowCounter();
    }
    if (frame.kind === 'rows') counter?.add(frame.rows);
    if (frame.kind === 'tableEnd') {
      const found = counter?.end();
      if (found?.sha256 !== frame.end.sha256 || found.rows !== frame.end.rows) {
        throw new DamagedBackup(file, 'the rows of a table are not those that were written');
      }
      counter = undefined;
      tables += 1;
    }
    if (frame.kind === 'end' && frame.tables !== tables) throw new DamagedBackup(file, 'tables are missing in it');
    yield frame;
  }
}
