/**
 * Arrays in PostgreSQL's text form, which `pg` sends as they are. For thousands of elements: `pg` itself takes several times as
 * long, since it looks for what any kind of element may need.
 */
export function numberArray(numbers: number[]): string {
  return `{${numbers.join(',')}}`;
}

export function textArray(texts: string[]): string {
  return `{${texts.map(quoted).join(',')}}`;
}

const SPECIAL = /["\\]/;

function quoted(text: string): string {
  return `"${SPECIAL.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`;
}
