import type * as Typescript from 'typescript';
import { Impossible } from './choices.ts';
import type { Interpreter } from './interpret.ts';
import { mentionsSql, unresolved } from './syntax.ts';
import { type Binding, literal, type Piece, type Scope, UNKNOWN, type Value } from './values.ts';

export const LIST_METHODS = new Set(['map', 'flatMap', 'filter', 'concat', 'join', 'sort', 'toSorted', 'toReversed']);

/** Evaluates calls to JavaScript's built-in methods and to sql-template-tag. */
export class Builtins {
  readonly #interpreter: Interpreter;

  constructor(interpreter: Interpreter) {
    this.#interpreter = interpreter;
  }

  ofTemplateTag(name: string, node: Typescript.CallExpression, scope: Scope): Value {
    const [first, ...others] = node.arguments.map((argument) => this.#interpreter.evaluate(argument, scope));
    const [separator = ',', prefix = '', suffix = ''] = others.map((one) =>
      one.kind === 'literal' ? String(one.value) : undefined,
    );
    if (name === 'raw') {
      if (first?.kind !== 'literal') throw unresolved(node);
      return { kind: 'sql', pieces: [String(first.value)] };
    }
    if (name !== 'join') throw unresolved(node);
    // Values from requests are unknown. Two elements stand for any number.
    const items = first?.kind === 'list' ? first.items : [UNKNOWN, UNKNOWN];
    if (first?.kind !== 'list') {
      const { checker } = this.#interpreter.source;
      if (mentionsSql(checker, checker.getTypeAtLocation(node.arguments[0] as Typescript.Expression)))
        throw unresolved(node);
    }
    if (items.length === 0) throw new Impossible();
    const pieces = items.flatMap((item, at): Piece[] => [
      at > 0 ? separator : prefix,
      ...(item.kind === 'sql' ? item.pieces : [null]),
    ]);
    return { kind: 'sql', pieces: [...pieces, suffix] };
  }

  ofObject(name: string, node: Typescript.CallExpression, scope: Scope): Value {
    const of = node.arguments[0] ? this.#interpreter.evaluate(node.arguments[0], scope) : UNKNOWN;
    if (of.kind !== 'object') return name === 'freeze' ? of : UNKNOWN;
    const entries = this.#interpreter.entries(of);
    if (name === 'values') return { kind: 'list', items: entries.map(([, value]) => value) };
    if (name === 'keys') return { kind: 'list', items: entries.map(([key]) => literal(key)) };
    if (name === 'entries') {
      return { kind: 'list', items: entries.map(([key, value]) => ({ kind: 'list', items: [literal(key), value] })) };
    }
    return name === 'freeze' ? of : UNKNOWN;
  }

  ofList(of: Value, name: string, node: Typescript.CallExpression, scope: Scope): Value {
    // A list from a request is unknown. Two elements stand for any number.
    const { items, open } = of.kind === 'list' ? of : { items: [UNKNOWN, UNKNOWN], open: true };
    const [arg] = node.arguments;
    const each = (item: Value, at: number) => {
      const fn = arg ? this.#interpreter.evaluate(arg, scope) : UNKNOWN;
      if (fn.kind !== 'function') return UNKNOWN;
      const args: Binding[] = [item, literal(at)].map((value) => ({ node: undefined, scope, value }));
      return this.#interpreter.call(fn, args, `${scope.id}>${node.end}[${at}]`);
    };
    if (name === 'map') return { kind: 'list', items: items.map(each), open };
    if (name === 'flatMap') {
      const parts = items
        .map(each)
        .map((one) => (one.kind === 'list' ? one : { items: [one], open: one.kind === 'unknown' }));
      return { kind: 'list', items: parts.flatMap((one) => one.items), open: open || parts.some((one) => one.open) };
    }
    if (of.kind !== 'list') return UNKNOWN;
    if (name === 'filter') {
      const kept = items.filter((item, at) => {
        const judged = each(item, at);
        if (judged.kind === 'literal') return Boolean(judged.value);
        if (item.kind === 'literal') return Boolean(item.value);
        return judged.kind !== 'unknown' || this.#interpreter.conditions.decide(`${scope.id}>${node.end}[${at}] kept`);
      });
      return { kind: 'list', items: kept, open };
    }
    if (name === 'concat') {
      const parts = node.arguments.map((one) => this.#interpreter.evaluate(one, scope));
      const added = parts.map((one) => (one.kind === 'list' ? one : { items: [one], open: one.kind === 'unknown' }));
      return {
        kind: 'list',
        items: [...items, ...added.flatMap((one) => one.items)],
        open: open || added.some((one) => one.open),
      };
    }
    if (name === 'join') {
      const separator = arg ? this.#interpreter.evaluate(arg, scope) : literal(',');
      if (open || separator.kind !== 'literal' || items.some(({ kind }) => kind !== 'literal')) return UNKNOWN;
      return literal(
        items.map((item) => (item.kind === 'literal' ? String(item.value) : '')).join(String(separator.value)),
      );
    }
    return of;
  }
}
