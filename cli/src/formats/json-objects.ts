import type { FieldError } from './row-reader.ts';

/** The maximum length of a line. No customer or order that the contract accepts is longer. */
const LONGEST_LINE = 800_000;

type JsonObject = { line: number; value: object } | { line: number; errors: FieldError[] };

/** Parses the objects in JSON Lines. Other lines are rejected; `noun` names the objects in messages. */
export function* jsonObjects(text: string, noun: 'customer' | 'order'): Generator<JsonObject> {
  for (const [index, each] of text.split('\n').entries()) {
    if (each.trim() !== '') yield jsonObject(each, index + 1, noun);
  }
}

function jsonObject(text: string, line: number, noun: string): JsonObject {
  const refuse = (message: string) => ({ line, errors: [{ line, field: 'json', message }] });
  if (Buffer.byteLength(text) > LONGEST_LINE) {
    return refuse(`The line has more than ${LONGEST_LINE / 1000} kB: it must hold one ${noun}.`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { line, value };
  } catch (error) {
    return refuse(`The line is not valid JSON: ${(error as SyntaxError).message}`);
  }
  const article = noun === 'order' ? 'an' : 'a';
  return refuse(`The line must hold one JSON object, ${article} ${noun}.`);
}
