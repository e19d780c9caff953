import type { FieldError } from '../formats/row-reader.ts';
import { shapeOf } from '../import/kinds.ts';

/** A rejection or change in a file, and its place. */
export interface Finding {
  file: string;
  line: number;
  /** The column as named in the file, if a finding is about one. */
  column?: string;
  /** The name of the product, customer or order. */
  name?: string;
  message: string;
}

/** Findings of one kind, as a person handles them. */
export interface Kind {
  /** One example of the kind. */
  example: string;
  file: string;
  findings: Finding[];
}

/** The differences from the files. */
export class Findings {
  readonly refused: Finding[] = [];
  readonly warnings: Finding[] = [];

  /** A rejected record, with every reason. */
  refuse(file: string, errors: FieldError[], name: string | undefined): void {
    for (const { line, field, message } of errors) {
      this.refused.push({ file, line, column: field, message, ...(name && { name }) });
    }
  }

  warn(file: string, line: number, message: string): void {
    this.warnings.push({ file, line, message });
  }
}

/** Groups findings that differ only in numbers and names, the most frequent first. */
export function kindsOf(findings: Finding[]): Kind[] {
  const groups = Map.groupBy(findings, ({ file, column = '', message }) => `${file} ${column} ${shapeOf(message)}`);
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      return first ? [{ example: first.message, file: first.file, findings: group }] : [];
    })
    .sort((one, other) => other.findings.length - one.findings.length);
}
