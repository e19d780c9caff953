import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { csvOf } from '../csv.ts';
import type { FieldError } from '../formats/row-reader.ts';

/** Files written by an import: rejected records as JSON lines, and all rejections and warnings as CSV. */
export interface ReportFiles {
  refused: (record: object, errors: FieldError[], name: string) => void;
  warned: (line: number, message: string) => void;
  close: () => Promise<void>;
}

export interface ReportOptions {
  errors?: string;
  report?: string;
}

/** Opens the report files. `noun` is the title of the column with the record's name. */
export async function openReportFiles({ errors, report }: ReportOptions, noun: string): Promise<ReportFiles> {
  const file = errors === undefined ? undefined : await openFile(errors);
  const table = report === undefined ? undefined : await openFile(report);
  table?.write(csvOf([['line', 'what', noun, 'column', 'message']]));
  return {
    refused: (record, reasons, name) => {
      file?.write(`${JSON.stringify(record)}\n`);
      table?.write(csvOf(reasons.map(({ line, field, message }) => [line, 'refused', name, field, message])));
    },
    warned: (line, message) => {
      table?.write(csvOf([[line, 'warning', '', '', message]]));
    },
    close: async () => {
      for (const each of [file, table]) if (each) await finished(each.end());
    },
  };
}

async function openFile(path: string): Promise<WriteStream> {
  const file = createWriteStream(path);
  await new Promise<void>((opened, failed) => {
    file.once('open', () => opened());
    file.once('error', failed);
  });
  return file;
}
