interface Sortable {
  header: string;
  numeric?: boolean;
  sort?: { asc?: string; desc?: string };
}

/** A column's heading, as a button if the list can be sorted by it. */
export function Heading({
  column,
  sort,
  onSort,
}: {
  column: Sortable | undefined;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}) {
  if (!column) return null;
  const next = nextOf(column, sort);
  if (!onSort || next === undefined) return column.header;
  const direction = directionOf(column, sort);
  return (
    <>
      <button type="button" className="sort" onClick={() => onSort(next)}>
        {column.header}
        <span aria-hidden="true">{direction === 'ascending' ? '↑' : direction === 'descending' ? '↓' : '↕'}</span>
      </button>
      {/* Shown on phones instead of the button, because there only screen readers read the table head. */}
      <span className="unsorted">{column.header}</span>
    </>
  );
}

/** The `aria-sort` of a column; undefined if the list is sorted by another one. */
export function directionOf(column: Sortable | undefined, sort: string | undefined) {
  if (!column?.sort || sort === undefined) return undefined;
  if (sort === column.sort.asc) return 'ascending';
  return sort === column.sort.desc ? 'descending' : undefined;
}

/**
 * The `sort` value after a press. The first press sorts numbers descending and other values ascending, the next one in
 * the other direction.
 */
function nextOf(column: Sortable, sort: string | undefined): string | undefined {
  const { asc, desc } = column.sort ?? {};
  const [first, second] = column.numeric ? [desc, asc] : [asc, desc];
  return (sort === first ? second : first) ?? first ?? second;
}
