/** A form as Stripe parses it: `a[b][0][c]=1` is `{ a: { b: { 0: { c: '1' } } } }`. */
export interface Params {
  [name: string]: string | Params;
}

export function readForm(text: string): Params {
  const params: Params = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const [first = '', ...rest] = name.replaceAll(']', '').split('[');
    put(params, [first, ...rest], value);
  }
  return params;
}

function put(into: Params, [name = '', ...rest]: string[], value: string): void {
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const inner = into[name];
  const next: Params = typeof inner === 'object' ? inner : {};
  into[name] = next;
  put(next, rest, value);
}

export function text(params: Params | undefined, name: string): string | undefined {
  const value = params?.[name];
  return typeof value === 'string' ? value : undefined;
}

export function group(params: Params | undefined, name: string): Params | undefined {
  const value = params?.[name];
  return typeof value === 'object' ? value : undefined;
}

export function texts(params: Params | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params ?? {}).filter((one): one is [string, string] => typeof one[1] === 'string'),
  );
}
