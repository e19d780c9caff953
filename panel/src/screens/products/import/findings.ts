/** An error in the file, or a value that the import changed, with its position. */
export interface Finding {
  line: number;
  column: string;
  sku: string;
  message: string;
}

/** Maximum number of findings kept in memory. The rest are only counted. */
const MOST_KEPT = 20_000;

/** Collects findings of a file. Counts all and keeps the first ones. */
export class Findings {
  readonly kept: Finding[] = [];
  count = 0;

  add(finding: Finding): void {
    this.count += 1;
    if (this.kept.length < MOST_KEPT) this.kept.push(finding);
  }
}
