/** A message without its numbers, names and lists, to group messages of the same kind. */
export function shapeOf(message: string): string {
  return message
    .replace(/ \([^()]*\)$/, '')
    .replace(/^#?\S*\d\S*: /, '')
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/<[^>]*>(?:, <[^>]*>)*/g, '<…>')
    .replace(/(not kept): [\w-]+(?:, [\w-]+)*\.$/, '$1')
    .replace(/\d+(?:\.\d+)?/g, '0');
}

/** Number of messages of a kind that are shown. */
const SHOWN = 3;

/** Counts warnings by kind, so that thousands of one kind do not hide others. */
export class WarningKinds {
  readonly #kinds = new Map<string, { example: string; count: number }>();
  count = 0;

  /** Whether the message is among the first of its kind, and is therefore shown. */
  isNews(message: string): boolean {
    this.count += 1;
    const shape = shapeOf(message);
    const kind = this.#kinds.get(shape) ?? { example: message, count: 0 };
    kind.count += 1;
    this.#kinds.set(shape, kind);
    return kind.count <= SHOWN;
  }

  /** One line per kind with more messages than were shown. */
  rest(): string[] {
    return [...this.#kinds.values()].flatMap(({ example, count }) =>
      count > SHOWN ? `${count - SHOWN} more warnings like: ${example}` : [],
    );
  }
}
