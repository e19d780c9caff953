import { Parser } from 'htmlparser2';
import type { CsvRow } from './csv-records.ts';

/** An item of a Google Merchant feed: values by attribute name, in lower case with underscores and without prefix. */
export interface FeedItem {
  line: number;
  problem?: string;
  values: Map<string, string[]>;
}

function attributeOf(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^(?:g|c):/, '')
    .replaceAll(/[ -]/g, '_');
}

function note(item: FeedItem, name: string, value: string): void {
  const text = value.trim();
  if (text !== '') item.values.set(name, [...(item.values.get(name) ?? []), text]);
}

/** The items of a feed in a table format (CSV or TSV). */
export async function* tableItemsOf(header: string[], rows: AsyncIterable<CsvRow>): AsyncGenerator<FeedItem> {
  const names = header.map(attributeOf);
  for await (const { line, cells, problem } of rows) {
    const item: FeedItem = { line, values: new Map(), ...(problem !== undefined && { problem }) };
    for (const [index, cell] of cells.entries()) note(item, names[index] || `column_${index + 1}`, cell);
    yield item;
  }
}

/** The items of an RSS feed, or the entries of an Atom feed. */
export async function* xmlItemsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FeedItem> {
  const ready: FeedItem[] = [];
  const decoder = new TextDecoder();
  let text = '';
  let line = 1;
  let counted = 0;
  let item: FeedItem | undefined;
  let path: string[] = [];
  let value = '';
  const parser = new Parser(
    {
      onopentag(name, { href }) {
        if (name === 'item' || name === 'entry') {
          for (; counted < parser.startIndex; counted++) if (text[counted] === '\n') line++;
          item = { line, values: new Map() };
          path = [];
        } else if (item) {
          path.push(name);
          value = href ?? '';
        }
      },
      ontext(piece) {
        value += piece;
      },
      onclosetag(name) {
        if (item && (name === 'item' || name === 'entry')) {
          ready.push(item);
          item = undefined;
        } else if (item) {
          // Nested attributes, such as the parts of shipping, get a name made of both names.
          note(item, path.map(attributeOf).join('.'), value);
          path.pop();
          value = '';
        }
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  for await (const chunk of bytes) {
    const piece = decoder.decode(chunk, { stream: true });
    text += piece;
    parser.write(piece);
    yield* ready.splice(0);
  }
  parser.end();
  yield* ready.splice(0);
}
