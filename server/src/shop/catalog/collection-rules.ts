/** Rules of automatic collections: validation and translation to SQL. */

import type { CollectionRule, CollectionSummary } from '@commerce-backend/spec';
import sql, { join, type Sql } from 'sql-template-tag';
import { bodyMistake, ValidationError } from '../errors.ts';
import { canonicalAmount } from '../money.ts';
import { inStock } from '../products/rows.ts';
import type { Shop } from '../shop.ts';

const WORD_OPERATORS = ['equals', 'not_equals', 'contains'];
const OPERATORS: Record<CollectionRule['field'], string[]> = {
  tag: WORD_OPERATORS,
  product_type: WORD_OPERATORS,
  vendor: WORD_OPERATORS,
  price: ['equals', 'greater_than', 'less_than'],
  in_stock: ['equals'],
};
const AMOUNT = /^(?:0|[1-9]\d{0,11})(?:\.\d{1,3})?$/;

/** Normalizes the rules of a request body for storage. Throws a ValidationError with every mistake. */
export function planRules(shop: Shop, rules: CollectionRule[]): CollectionRule[] {
  const mistakes: ValidationError['detail'] = [];
  const planned = rules.map((rule, i) => {
    try {
      return { field: rule.field, operator: rule.operator, value: plannedValue(shop, rule, ['rules', i]) };
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      mistakes.push(...error.detail);
      return rule;
    }
  });
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  return planned;
}

function plannedValue(shop: Shop, { field, operator, value }: CollectionRule, path: (string | number)[]): string {
  const expected = OPERATORS[field];
  if (!expected.includes(operator)) {
    const msg = `A rule on ${field} accepts ${expected.join(', ')}.`;
    throw new ValidationError([bodyMistake([...path, 'operator'], 'enum', msg, { expected })]);
  }
  const mistake = (msg: string) => new ValidationError([bodyMistake([...path, 'value'], 'value_error', msg)]);
  const text = value.trim();
  if (text === '') throw mistake('A rule needs a value that is not blank.');
  if (field === 'price') {
    if (!AMOUNT.test(text)) throw mistake('Send the price as an amount, such as 19.90.');
    return canonicalAmount(text, shop.currencyDigits, ['body', ...path, 'value']);
  }
  if (field === 'in_stock' && text !== 'true' && text !== 'false') throw mistake('Send true or false.');
  return text;
}

/**
 * SQL that is true if `products p` matches the rules. `rules` is a jsonb expression. `rulesMatch` is `all` or `any`.
 * One statement can apply the rules of many collections.
 */
export function meetsRules(rules: Sql, rulesMatch: Sql): Sql {
  const listed = sql`jsonb_to_recordset(${rules}) as r (field text, operator text, value text)`;
  const isMet = meetsRule({ field: sql`r.field`, operator: sql`r.operator`, value: sql`r.value` });
  return sql`case ${rulesMatch}
    when 'any' then exists (select from ${listed} where ${isMet})
    else not exists (select from ${listed} where not ${isMet}) end`;
}

/**
 * Like `meetsRules`, with the rules as parameters. PostgreSQL evaluates these several times faster than rules in jsonb.
 */
export function meetsKnownRules(rules: CollectionRule[], rulesMatch: CollectionSummary['rules_match']): Sql {
  const conditions = rules.map(({ field, operator, value }) =>
    meetsRule({ field: sql`${field}::text`, operator: sql`${operator}::text`, value: sql`${value}::text` }),
  );
  return sql`(${join(conditions, rulesMatch === 'any' ? ' or ' : ' and ')})`;
}

function meetsRule({ field, operator, value }: Record<keyof CollectionRule, Sql>): Sql {
  return sql`(case ${field}
  when 'in_stock' then ${inStock} = (${value} = 'true')
  when 'price' then case ${operator}
    when 'greater_than' then p.price > ${value}::numeric
    when 'less_than' then p.price < ${value}::numeric
    else p.price = ${value}::numeric end
  else (${operator} <> 'not_equals') = exists (
    select from unnest(case ${field} when 'tag' then p.tags when 'vendor' then array[p.vendor] else array[p.product_type] end)
      as word
    where case ${operator} when 'contains' then strpos(lower(word), lower(${value})) > 0
      else lower(word) = lower(${value}) end)
  end)`;
}
