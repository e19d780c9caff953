import type { FieldError } from '../formats/row-reader.ts';
import { shapeOf } from '../import/kinds.ts';

/** Something of a file that was refused, or changed on the way, and where it stands. */
export interface Finding {
  file: string;
  line: number;
  /** The column as the file calls it, where a finding is about one. */
  column?: string;
  /** The product, customer or order. */
  name?: string;
  message: string;
}

/** Findings of one kind, as a person works through them. */
export interface Kind {
  /** One of them, which stands for all. */
  example: string;
  file: string;
  findings: Finding[];
}

/** What went otherwise than the files say. */
export class Findings {
  readonly refused: Finding[] = [];
  readonly warnings: Finding[] = [];

  /** A refused record, with every reason. */
  refuse(file: string, errors: FieldError[], name: string | undefined): void {
    for (const { line, field, message } of errors) {
      this.refused.push({ file, line, column: field, message, ...(name && { name }) });
    }
  }

  warn(file: string, line: number, message: string): void {
    this.warnings.push({ file, line, message });
  }
}

/** Findings that differ only in numbers and names together, the most frequent first. */
export function kindsOf(findings: Finding[]): Kind[] {
  const groups = Map.groupBy(findings, ({ file, column = '', message }) => `${file} ${column} ${shapeOf(message)}`);
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      return first ? [{ example: first.message, file: first.file, findings: group }] : [];
    })
    .sort((one, other) => other.findings.length - one.findings.length);
}
