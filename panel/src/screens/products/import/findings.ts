/** One thing that is wrong with a file, or was changed on the way: where it stands, and what it is. */
export interface Finding {
  line: number;
  column: string;
  sku: string;
  message: string;
}

/** As many as a spreadsheet is still quick with, and a browser holds beside a large file; the rest is counted. */
const MOST_KEPT = 20_000;

/** What was found in a file: all of it counted, and the first of it kept. */
export class Findings {
  readonly kept: Finding[] = [];
  count = 0;

  add(finding: Finding): void {
    this.count += 1;
    if (this.kept.length < MOST_KEPT) this.kept.push(finding);
  }
}
