/** An error in a file, or a value changed during the import, with its position. */
export interface Finding {
  line: number;
  column: string;
  sku: string;
  message: string;
}

/** The most rows that a spreadsheet handles well and a browser can keep in addition to a large file; the rest is counted. */
const MOST_KEPT = 20_000;

/** The findings of a file: all are counted, and the first ones kept. */
export class Findings {
  readonly kept: Finding[] = [];
  count = 0;

  add(finding: Finding): void {
    this.count += 1;
    if (this.kept.length < MOST_KEPT) this.kept.push(finding);
  }
}
