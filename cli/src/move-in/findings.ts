import type { FieldError } from '../formats/row-reader.ts';
import { shapeOf } from '../import/kinds.ts';

/** A rejected or changed record, with its place in the files. */
export interface Finding {
  file: string;
  line: number;
  /** Name of the column in the file, if the finding concerns one. */
  column?: string;
  /** Name of the product, customer or order. */
  name?: string;
  message: string;
}

/** Findings with the same cause. */
export interface Kind {
  /** The first finding of this kind. */
  example: string;
  file: string;
  findings: Finding[];
}

/** Collects rejections and changes. */
export class Findings {
  readonly refused: Finding[] = [];
  readonly warnings: Finding[] = [];

  /** Adds a rejected record with all its errors. */
  refuse(file: string, errors: FieldError[], name: string | undefined): void {
    for (const { line, field, message } of errors) {
      this.refused.push({ file, line, column: field, message, ...(name && { name }) });
    }
  }

  warn(file: string, line: number, message: string): void {
    this.warnings.push({ file, line, message });
  }
}

/** Groups findings that differ only in numbers and names. The most frequent group comes first. */
export function kindsOf(findings: Finding[]): Kind[] {
  const groups = Map.groupBy(findings, ({ file, column = '', message }) => `${file} ${column} ${shapeOf(message)}`);
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      return first ? [{ example: first.message, file: first.file, findings: group }] : [];
    })
    .sort((one, other) => other.findings.length - one.findings.length);
}
