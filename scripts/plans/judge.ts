/** A node in the output of EXPLAIN (FORMAT JSON, VERBOSE). */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Schema?: string;
  Alias?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: PlanNode[];
  [property: string]: unknown;
}

/** The tables of the schema, with the data that the checks need. */
export interface Tables {
  /** Tables with a `site_id`. */
  tenants: Set<string>;
  /** The table of each index. `unique` means that it finds at most one row, regardless of the site. */
  indexes: Map<string, { table: string; unique: boolean }>;
}

export interface Finding {
  table: string;
  kind: 'site' | 'index';
  what: string;
}

/**
 * Returns tenant tables that a plan reads for all sites: their `site_id` is compared neither with a value nor with the
 * `site_id` of a restricted table. The plan must be made without row-level security, which would add the comparison.
 */
export function withoutSite(plan: PlanNode, { tenants }: Tables): Finding[] {
  const nodes = nodesOf(plan);
  const scanned = new Map(
    nodes.flatMap((node) => (isScan(node) && tenants.has(tableOf(node)) ? [[node.Alias ?? '', tableOf(node)]] : [])),
  );
  const conditions = nodes.flatMap((node) => CONDITIONS.map((name) => String(node[name] ?? '')));
  const equal = conditions.flatMap(conjunctsOf).flatMap((part) => {
    const [, one = '', other = ''] = EQUAL.exec(part) ?? [];
    return one ? [[one, other]] : [];
  });
  const bound = new Set<string>();
  for (let before = -1; before < bound.size; ) {
    before = bound.size;
    for (const [one = '', other = ''] of [...equal, ...equal.map((pair) => pair.toReversed())]) {
      const of = SITE.exec(one)?.[1];
      const to = SITE.exec(other)?.[1];
      // A subquery is checked through the tables that it reads.
      if (of !== undefined && (to === undefined || !scanned.has(to) || bound.has(to))) bound.add(of);
    }
  }
  return [...scanned]
    .filter(([alias]) => !bound.has(alias))
    .map(([, table]) => ({ table, kind: 'site', what: 'no site_id' }));
}

/** This table has one row, and one more for each failover or restored backup. */
const ALWAYS_SMALL = 'change_eras';

/** Returns tables that a plan reads completely, and tenant tables that it reads by an index without their site. */
export function withoutIndex(plan: PlanNode, tables: Tables): Finding[] {
  return nodesOf(plan).flatMap((node) => {
    if (node['Node Type'] === 'Seq Scan') {
      const table = tableOf(node);
      return node.Schema === 'commerce' && table !== ALWAYS_SMALL ? [finding(table, 'sequential scan')] : [];
    }
    const name = node['Index Name'] ?? '';
    const index = tables.indexes.get(name);
    if (!index) return [];
    const condition = node['Index Cond'];
    if (!condition) return [finding(index.table, `all of the index ${name}`)];
    if (index.unique || !tables.tenants.has(index.table) || condition.includes('site_id')) return [];
    return [finding(index.table, `the index ${name}, without site_id`)];
  });
}

/**
 * Returns conditions that use an index without row-level security, but only filter rows with it. PostgreSQL must not
 * call functions that are not leakproof, such as `lower`, before it checks the policy.
 */
export function keptFromIndex(bare: PlanNode, guarded: PlanNode): Finding[] {
  const found = new Set(nodesOf(bare).flatMap((node) => conjunctsOf(node['Index Cond'] ?? '')));
  return nodesOf(guarded).flatMap((node) => {
    if (!isScan(node)) return [];
    const filtered = conjunctsOf(String(node.Filter ?? '')).filter((part) => part !== '' && found.has(part));
    return filtered.map((part) => finding(tableOf(node), `${part} is kept from the index by row-level security`));
  });
}

function finding(table: string, what: string): Finding {
  return { table, kind: 'index', what };
}

const CONDITIONS = [
  'Index Cond',
  'Recheck Cond',
  'Filter',
  'Join Filter',
  'Hash Cond',
  'Merge Cond',
  'TID Cond',
  'One-Time Filter',
];
const SITE = /^(\w+|"[^"]+")\.site_id$/;
const EQUAL = /^(\S+) = (\S+)/;

/** Splits `((a) AND (b))` into `a` and `b`. Any other condition is returned as a whole. */
function conjunctsOf(condition: string): string[] {
  const parts = [''];
  let depth = 0;
  const inner = unwrapped(condition);
  for (const word of inner.split(/(?<= )|(?= )/)) {
    if (depth === 0 && word === 'AND') parts.push('');
    else parts.push(parts.pop() + word);
    depth += word.split('(').length - word.split(')').length;
  }
  return parts.map((part) => unwrapped(part.trim()));
}

/** Removes parentheses around a whole condition. */
function unwrapped(text: string): string {
  if (!text.startsWith('(')) return text;
  let depth = 0;
  for (const [at, letter] of [...text].entries()) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (depth === 0) return at === text.length - 1 ? unwrapped(text.slice(1, -1)) : text;
  }
  return text;
}

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

function isScan(node: PlanNode): boolean {
  return node.Schema === 'commerce' && node['Node Type'].endsWith('Scan');
}

function tableOf(node: PlanNode): string {
  return node['Relation Name'] ?? '';
}
