import type { ErrorObject, ValidateFunction } from 'ajv';

/**
 * Judges a JSON value by a schema in time that mistakes cannot stretch: all mistakes of a value of ordinary size, the first
 * one of a large value. A megabyte of `{}` would else make a million mistakes, and stop every other request meanwhile.
 */
export type Judge = (value: unknown) => ErrorObject[];

/** `compile` is called with `allErrors` when a judgement needs it first. `large` is how many values make a value large. */
export function judge(compile: (allErrors: boolean) => ValidateFunction, large: number): Judge {
  const checks: { all?: ValidateFunction; first?: ValidateFunction } = {};
  return (value) => {
    const kind = holdsMoreThan(value, large) ? 'first' : 'all';
    checks[kind] ??= compile(kind === 'all');
    const check = checks[kind];
    return check(value) ? [] : (check.errors ?? []);
  };
}

/** Whether there are more values than that in a value, at all depths. Does not look beyond. */
function holdsMoreThan(value: unknown, limit: number): boolean {
  let count = 0;
  const visit = (node: unknown): boolean => {
    count += 1;
    if (count > limit) return true;
    if (typeof node !== 'object' || node === null) return false;
    if (Array.isArray(node)) return node.some(visit);
    for (const key in node) if (visit((node as Record<string, unknown>)[key])) return true;
    return false;
  };
  return visit(value);
}
