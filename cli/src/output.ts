import type { Terminal } from './terminal.ts';

type Colour = 'bold' | 'dim' | 'red' | 'yellow' | 'green';

const CODES: Record<Colour, number> = { bold: 1, dim: 2, red: 31, yellow: 33, green: 32 };

/**
 * Returns a function that colours text if the stream is a terminal, unless NO_COLOR (https://no-color.org) or TERM=dumb
 * is set.
 */
export function painter({ env }: Pick<Terminal, 'env'>, stream: { isTTY?: boolean }) {
  const coloured = stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  return (colour: Colour | undefined, text: string): string =>
    coloured && colour ? `\x1b[${CODES[colour]}m${text}\x1b[0m` : text;
}

export type Paint = ReturnType<typeof painter>;

/** Prints a result to stdout, as JSON or as text. */
export function show(terminal: Terminal, json: boolean, value: unknown, text: (paint: Paint) => string): void {
  const printed = json ? JSON.stringify(value, null, 2) : text(painter(terminal, terminal.stdout));
  terminal.stdout.write(`${printed}\n`);
}

/**
 * Escapes untrusted text for a terminal: replaces control characters, which could move the cursor or change colours, by
 * spaces, and removes invisible characters that change the writing direction.
 */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
}

/**
 * Replaces commands in our own texts by the way this program was started. With `npx` or a package script, `commerce` is
 * not on the PATH.
 */
export function asCalled(words: string, { env }: Pick<Terminal, 'env'>): string {
  return env.npm_command ? words.replaceAll(/(?<![\w@/-]|npx )commerce (?=[a-z])/g, 'npx commerce ') : words;
}

export interface Column<Row> {
  title: string;
  value: (row: Row) => string | number | null;
  /** Aligns the column to the right, for numbers and amounts. */
  right?: boolean;
  colour?: (row: Row) => Colour | undefined;
  /** Whether the column may shrink, to at least 12 characters, if the table is wider than the terminal. */
  shrinks?: boolean;
  /** Whether a shrunk text is wrapped instead of cut. */
  wraps?: boolean;
  /** Whether the column may move below its row if the table is too wide. The last such column moves first. */
  below?: boolean;
}

/** Shown for a missing value. */
const NOTHING = '–';
const GAP = '  ';
const LEAST = 12;

/**
 * Formats rows as a table with aligned columns. If it is wider than the terminal, columns move below their row or are
 * cut, as each column defines.
 */
export function table<Row>(
  columns: Column<Row>[],
  rows: Row[],
  { paint, width = Number.POSITIVE_INFINITY }: TableStyle,
): string {
  const measured = columns.map((column) => {
    const cells = rows.map((row) => plain(String(column.value(row) ?? NOTHING)));
    return { column, cells, width: Math.max(widthOf(column.title), ...cells.map(widthOf)) };
  });
  const { beside, below } = arranged(measured, width);
  const line = (cellOf: (own: Measured<Row>) => string, colourOf: (column: Column<Row>) => Colour | undefined) => {
    const broken = beside.map((own) => (own.column.wraps ? wrapped(cellOf(own), own.width) : [cellOf(own)]));
    return Array.from({ length: Math.max(...broken.map(({ length }) => length)) }, (_, row) =>
      aligned((own) => broken[beside.indexOf(own)]?.[row] ?? '', colourOf),
    ).join('\n');
  };
  const aligned = (cellOf: (own: Measured<Row>) => string, colourOf: (column: Column<Row>) => Colour | undefined) => {
    const cells = beside.map((own) => {
      const short = cut(cellOf(own), own.width);
      const space = ' '.repeat(own.width - widthOf(short));
      const painted = paint(colourOf(own.column), short);
      return own.column.right ? space + painted : painted + space;
    });
    return cells.join(GAP).trimEnd();
  };
  const head = line(
    ({ column }) => column.title,
    () => 'bold',
  );
  const bodies = rows.map((row, at) => [
    line(
      ({ cells }) => cells[at] ?? '',
      ({ colour }) => colour?.(row),
    ),
    ...packed(
      below
        .filter(({ cells }) => cells[at] !== NOTHING)
        .map(({ column, cells }) => `${column.title.toLowerCase()} ${cells[at]}`),
      width,
    ).map((text) => paint('dim', text)),
  ]);
  return [head, ...bodies.flat()].join('\n');
}

interface Measured<Row> {
  column: Column<Row>;
  cells: string[];
  width: number;
}

function overBy<Row>(measured: Measured<Row>[], available: number): number {
  return measured.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length) - available;
}

export interface TableStyle {
  paint: Paint;
  /** The terminal's width in columns. Undefined if the output is not a terminal; then nothing is cut. */
  width: number | undefined;
}

/** The table style for this terminal. */
export function styleOf({ stdout }: Terminal, paint: Paint): TableStyle {
  // Some pseudo-terminals report 0 columns.
  return { paint, width: stdout.isTTY ? stdout.columns || 80 : undefined };
}

/**
 * Splits the columns into those in the table, which fit the width, and those below rows. First movable columns move,
 * then columns that may be cut are cut, and then the remaining ones move. Ids are never cut, because a part of an id is
 * useless.
 */
function arranged<Row>(measured: Measured<Row>[], available: number) {
  const beside = [...measured];
  const leaves = (chosen: (own: Measured<Row>, at: number) => boolean) => {
    for (let at = beside.length - 1; at >= 0 && overBy(beside, available) > 0; at -= 1) {
      const own = beside[at];
      if (own && chosen(own, at)) beside.splice(at, 1);
    }
  };
  leaves(({ column }) => column.below === true);
  shrink(beside, available);
  leaves(({ column }, at) => at > 0 && !column.shrinks);
  return { beside, below: measured.filter((own) => !beside.includes(own)) };
}

/** Joins texts to indented lines, as many per line as fit. Longer texts are wrapped at spaces. */
function packed(texts: string[], available: number): string[] {
  const lines: string[] = [];
  const add = (text: string, gap: string) => {
    const longer = `${lines.at(-1)}${gap}${text}`;
    if (lines.length > 0 && widthOf(longer) <= available) lines[lines.length - 1] = longer;
    else lines.push(`${GAP}${text}`);
  };
  for (const text of texts) {
    const [first = '', ...others] = widthOf(GAP + text) <= available ? [text] : text.split(' ');
    add(first, GAP);
    for (const word of others) add(word, ' ');
  }
  return lines;
}

/** Wraps a text at spaces. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Shrinks the widest of the columns that may be cut. */
function shrink<Row>(measured: Measured<Row>[], available: number): void {
  const widest = () =>
    measured
      .filter(({ column, width }) => column.shrinks && width > LEAST)
      .reduce<Measured<Row> | undefined>((most, own) => (most && most.width >= own.width ? most : own), undefined);
  for (let own = widest(); own && overBy(measured, available) > 0; own = widest()) own.width -= 1;
}

/** Formats names and values, one per line, with aligned values. */
export function facts(entries: Record<string, string | number | null | undefined>, paint: Paint): string {
  const given = Object.entries(entries).filter(([, value]) => value !== undefined);
  const width = Math.max(...given.map(([name]) => name.length));
  return given
    .map(([name, value]) => `${paint('bold', name.padEnd(width))}  ${plain(String(value ?? NOTHING))}`)
    .join('\n');
}

/** Formats a time in the local time zone, to the minute. Returns the text `none` for null. */
export function moment(timestamp: string | null, none = '–'): string {
  if (timestamp === null) return none;
  const date = new Date(timestamp);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Formats a count and its noun with a regular plural: "1 order", "12 orders". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats the page number of a list, with the option for the next page. */
export function pageLine(noun: string, list: { total: number; page: number; pages: number }): string {
  const count = `${list.total} ${list.total === 1 ? noun.replace(/s$/, '') : noun}`;
  if (list.pages <= 1 && list.page === 1) return `${count}.`;
  const more = list.page < list.pages ? ` Next: --page ${list.page + 1}` : '';
  return `${count}, page ${list.page} of ${list.pages}.${more}`;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
const NARROW = /[\p{M}\p{Cf}]/u;

/** Display width of a text: East Asian letters and emoji count as two columns, combining marks as none. */
function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return [...text].reduce((sum, character) => sum + characterWidth(character), 0);
}

function characterWidth(character: string): number {
  if (NARROW.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let room = width - 1;
  let kept = '';
  for (const character of text) {
    room -= characterWidth(character);
    if (room < 0) break;
    kept += character;
  }
  return `${kept}…`;
}
