/**
 * Compares states of a resource, to send only changes, to show conflicts and to merge changes of two users. In lists of
 * objects, `id` identifies an object. An object without an id is new.
 */

import { label } from '../../format.ts';
import { t } from '../../language/texts.ts';

type Item = { id?: string } & Record<string, unknown>;

/**
 * Returns the fields of `values` that differ from `base`. Leading and trailing spaces of texts are ignored and not
 * sent.
 */
export function changesOf<Values extends object>(base: Partial<Values>, values: Values): Partial<Values> {
  const [was, now] = [trimmed(base), trimmed(values)];
  const changed = Object.entries(now).filter(([field, value]) => !isSame(was[field as keyof Values], value));
  return Object.fromEntries(changed) as Partial<Values>;
}

/** Returns the list to send: for existing objects the id and the changes, for new objects all fields. */
export function changedItems<Value extends { id?: string }>(base: Value[], values: Value[]): Value[] {
  return values.map((value) => {
    const was = value.id === undefined ? undefined : base.find(({ id }) => id === value.id);
    return was ? ({ id: value.id, ...changesOf(was, value) } as Value) : value;
  });
}

/**
 * Applies the user's changes (`mine`) to a newer state (`theirs`). If both changed the same value, `mine` wins. Lists
 * keep the additions and removals of both.
 */
export function merged<Value>(base: Value, mine: Value, theirs: Value): Value {
  if (isSame(base, theirs)) return mine;
  if (isSame(base, mine)) return theirs;
  if (Array.isArray(mine) && Array.isArray(theirs) && Array.isArray(base)) {
    return mergedLists(base, mine, theirs) as Value;
  }
  if (!isObject(base) || !isObject(mine) || !isObject(theirs)) return mine;
  const fields = Object.keys({ ...theirs, ...mine });
  const entries = fields.map((field) => [field, merged(base[field], mine[field], theirs[field])]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Value;
}

function mergedLists(base: unknown[], mine: unknown[], theirs: unknown[]): unknown[] {
  const all = [...base, ...mine, ...theirs];
  if (all.every((value) => typeof value === 'string')) {
    const added = mine.filter((value) => !base.includes(value) && !theirs.includes(value));
    return [...theirs.filter((value) => mine.includes(value) || !base.includes(value)), ...added];
  }
  return all.every(isObject) && all.some(({ id }) => id !== undefined)
    ? mergedItems(base as Item[], mine as Item[], theirs as Item[])
    : mine;
}

/**
 * Merges lists in the order of `theirs`, unless `mine` changed the order. An object removed in theirs and changed in
 * mine becomes new.
 */
function mergedItems(base: Item[], mine: Item[], theirs: Item[]): Item[] {
  const find = (items: Item[], id: unknown) => items.find((item) => item.id !== undefined && item.id === id);
  const made = mine.filter(({ id }) => id === undefined);
  const twins = new Set<Item>();
  const kept = theirs.flatMap((item): Item[] => {
    const was = find(base, item.id);
    const own = find(mine, item.id);
    if (was) return own ? [merged(was, own, item)] : [];
    const twin = made.find((each) => nameOf(each) === nameOf(item));
    if (twin) twins.add(twin);
    return [{ ...item, ...twin }];
  });
  const lost = mine.flatMap(({ id, ...rest }): Item[] => {
    const was = find(base, id);
    return was && !find(theirs, id) && !isSame(was, { ...rest, id }) ? [rest] : [];
  });
  const place = (item: Item) => mine.findIndex(({ id }) => id !== undefined && id === item.id);
  const isReordered = !isSame(
    base.map(({ id }) => id).filter((id) => find(mine, id)),
    mine.map(({ id }) => id).filter((id) => find(base, id)),
  );
  const ordered = isReordered ? kept.toSorted((a, b) => place(a) - place(b)) : kept;
  return [...ordered, ...lost, ...made.filter((item) => !twins.has(item))];
}

/** Fields that make up an object's name. */
const IN_NAME = ['name', 'option1', 'option2', 'option3'];

/** The name of an object in a list, a variant's option values, or an image's alternative text or URL. */
export function nameOf(item: object): string {
  const { name, option1, option2, option3, alt, url } = item as Record<string, unknown>;
  const options = [option1, option2, option3].filter(Boolean).join(' / ');
  return String(name || options || alt || url || '');
}

/** The fields of a resource as text, for comparing two states. Nested objects are listed field by field. */
export function wordsOf(values: object, path = ''): Map<string, string> {
  return new Map(
    Object.entries(values).flatMap(([field, value]): [string, string][] => {
      const words = labelOf(path + field, field);
      if (typeof value !== 'object' || value === null) return [[words, inWords(value)]];
      if (!Array.isArray(value)) {
        return [...wordsOf(value, `${path}${field}.`)].map(([inner, text]) => [`${words}: ${inner}`, text]);
      }
      const items = value.filter((item): item is Item => isObject(item) && 'id' in item);
      if (items.length === 0) return [[words, value.map(inWords).join(', ')]];
      return [[words, items.map(nameOf).join('\n')], ...items.flatMap(itemInWords)];
    }),
  );
}

function itemInWords({ id, ...item }: Item): [string, string][] {
  const whose = nameOf(item);
  return [...wordsOf(without(item, IN_NAME))].map(([field, text]) => [
    whose === '' ? field : `${whose}: ${field}`,
    text,
  ]);
}

/** The field's label on the screen, otherwise its name in words. */
function labelOf(path: string, field: string): string {
  const [shown] = document.getElementsByName(path);
  const [first] = shown instanceof HTMLElement && 'labels' in shown ? ((shown as HTMLInputElement).labels ?? []) : [];
  return first?.textContent?.replace(/ \*$/, '') ?? label(field);
}

function inWords(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  return isObject(value) ? Object.values(value).map(inWords).join(' ') : String(value);
}

/** A copy without these fields. */
export function without<Value extends object>(value: Value, fields: readonly string[]): Partial<Value> {
  return Object.fromEntries(Object.entries(value).filter(([field]) => !fields.includes(field))) as Partial<Value>;
}

/** Trims all texts in the values. */
export function trimmed<Value>(value: Value): Value {
  if (typeof value === 'string') return value.trim() as Value;
  if (Array.isArray(value)) return value.map(trimmed) as Value;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, trimmed(each)])) as Value;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
