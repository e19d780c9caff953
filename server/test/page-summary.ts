import { parseDocument } from 'htmlparser2';

/** The summary on a checkout page, as a person reads it. Amounts have no currency. */
export interface PageSummary {
  lines: { name: string; variant_name: string | null; quantity: number; price: string; total: string }[];
  subtotal: string | undefined;
  /** Undefined if the page does not show a discount. */
  discount: string | undefined;
  discount_code: string | undefined;
  delivery: string | undefined;
  tax: string | undefined;
  contained_tax: string | undefined;
  total: string;
  /** The amount on the order button; undefined without a button or an amount. */
  button: string | undefined;
}

/**
 * Reads the summary; undefined if the page has none. Throws if an amount in the text differs from the machine-readable
 * one.
 */
export function summaryOf(html: string): PageSummary | undefined {
  const summary = all(parseDocument(html), ({ attribs }) => attribs?.id === 'summary')[0];
  if (!summary) return undefined;
  for (const data of all(summary, ({ name }) => name === 'data')) refuseTwoMeanings(data);
  const rows = new Map(
    all(summary, ({ name }) => name === 'dl').flatMap((list) =>
      all(list, ({ name }) => name === 'div').map((row): [string, Node] => [
        textOf(first(row, 'dt')).split(' ')[0] ?? '',
        row,
      ]),
    ),
  );
  const amountIn = (term: string) => {
    const value = first(rows.get(term), 'dd');
    return value && amountOf(textOf(value));
  };
  const discount = rows.get('Discount');
  const contained = withClass(summary, 'contained')[0];
  const button = all(summary, ({ name, attribs }) => name === 'button' && attribs?.value === 'place_order')[0];
  return {
    lines: withClass(summary, 'line').map(lineOf),
    subtotal: amountIn('Subtotal'),
    discount: amountIn('Discount'),
    discount_code: discount && textOf(withClass(discount, 'chip')[0]),
    delivery: textOf(first(rows.get('Delivery'), 'dd')) === 'Free' ? 'Free' : amountIn('Delivery'),
    tax: amountIn('Tax'),
    contained_tax: contained && amountOf(textOf(contained)),
    total: amountIn('Total') ?? '',
    button: button && amountOf(textOf(button)),
  };
}

/** The paragraphs of the review by their headings. */
export function answersOn(html: string): Record<string, string[]> {
  const answers = withClass(parseDocument(html), 'answer');
  const paragraphs = (answer: Node) =>
    all(first(answer, 'dd') ?? {}, ({ name, attribs }) => name === 'p' && attribs?.class !== 'detail').map(textOf);
  // Only the text of the heading itself is read, because a mark after it shows that this part has changed.
  return Object.fromEntries(
    answers.map((answer) => [(first(answer, 'dt')?.children?.[0]?.data ?? '').trim(), paragraphs(answer)]),
  );
}

function lineOf(line: Node): PageSummary['lines'][number] {
  const variant = withClass(line, 'variant')[0];
  const [quantity = '', price = ''] = textOf(withClass(line, 'quantity')[0]).split('×');
  return {
    name: textOf(withClass(line, 'name')[0]),
    variant_name: variant ? textOf(variant) : null,
    quantity: Number(quantity),
    price: amountOf(price) ?? '',
    total: amountOf(textOf(withClass(line, 'line-total')[0])) ?? '',
  };
}

/** Returns the amount in a text: `1234.50` for `€1,234.50`. */
function amountOf(text: string): string | undefined {
  const digits = text.replaceAll(/[^\d.]/g, '');
  return digits === '' ? undefined : digits;
}

function refuseTwoMeanings(data: Node): void {
  const [read, given] = [amountOf(textOf(data)), data.attribs?.value];
  if (textOf(data) !== 'Free' && read !== given) throw new Error(`People read ${read} where programs read ${given}.`);
}

interface Node {
  name?: string;
  attribs?: Record<string, string>;
  data?: string;
  children?: Node[];
}

function all(node: Node, is: (node: Node) => boolean): Node[] {
  return (node.children ?? []).flatMap((child) => [...(is(child) ? [child] : []), ...all(child, is)]);
}

function first(node: Node | undefined, tag: string): Node | undefined {
  return node && all(node, ({ name }) => name === tag)[0];
}

function withClass(node: Node, wanted: string): Node[] {
  return all(node, ({ attribs }) => attribs?.class?.split(' ').includes(wanted) ?? false);
}

/** The text of an element with whitespace collapsed, as a browser shows it. */
export function textOf(node: Node | undefined): string {
  return shownAs(rawTextOf(node));
}

function rawTextOf(node: Node | undefined): string {
  return node?.data ?? (node?.children ?? []).map(rawTextOf).join('');
}

/** A text as a browser shows it: with whitespace collapsed, and without control characters. */
export function shownAs(text: string): string {
  return text
    .replaceAll(/(?![\t\n\r])\p{Cc}/gu, '')
    .replaceAll(/[\t\n\r\f ]+/g, ' ')
    .replaceAll(/^ | $/g, '');
}
