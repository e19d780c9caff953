import {
  type ColumnDef,
  type RowSelectionState,
  rowSelectionFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type ReactNode, useMemo } from 'react';
import { useFormat } from '../format.ts';
import { t } from '../language/texts.ts';
import { Breakable } from './breakable.tsx';
import { Button } from './button.tsx';
import { openRow } from './open-row.ts';
import { directionOf, Heading } from './sort-heading.tsx';

const features = tableFeatures({ rowSelectionFeature });

/** A table column. On phones each row becomes a card. */
export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Aligns to the right. */
  numeric?: boolean;
  /** Keeps the value on one line. */
  short?: boolean;
  /** Hides the column on narrow screens. */
  wideOnly?: boolean;
  /** The list operation's `sort` values for this column, which make its heading a button. */
  sort?: { asc?: string; desc?: string };
  /** For sentences. On phones the text is placed below its heading. */
  long?: boolean;
}

interface Selection {
  selected: RowSelectionState;
  onSelect: (next: RowSelectionState) => void;
  /** Accessible name of a row's checkbox, such as "Select order 1001". */
  label: (id: string) => string;
}

/**
 * A table, shown as cards on phones. It gets the rows of one page and the selection; the server sorts, filters and
 * paginates. If the first column of a row contains a link, a click anywhere in the row follows it.
 */
export function DataTable<Row extends { id: string }>({
  caption,
  columns,
  rows,
  selection,
  sort,
  onSort,
}: {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  selection?: Selection;
  /** The current `sort` value of the list operation. */
  sort?: string;
  onSort?: (sort: string) => void;
}) {
  const definitions = useMemo(
    (): ColumnDef<typeof features, Row>[] =>
      columns.map(({ id, header, cell }) => ({ id, header, cell: ({ row }) => shown(cell(row.original)) })),
    [columns],
  );
  const table = useTable({
    features,
    columns: definitions,
    data: rows,
    getRowId: (row) => row.id,
    enableRowSelection: selection !== undefined,
    state: { rowSelection: selection?.selected ?? {} },
    onRowSelectionChange: (update) =>
      selection?.onSelect(typeof update === 'function' ? update(selection.selected) : update),
  });
  const byId = new Map(columns.map((each) => [each.id, each]));
  const classes = new Map(columns.map((each, at) => [each.id, classOf(each, at === 0)]));
  const selectsAll = selection && {
    type: 'checkbox',
    checked: rows.length > 0 && table.getIsAllRowsSelected(),
    onChange: table.getToggleAllRowsSelectedHandler(),
  };
  return (
    <>
      {/* On phones, replaces the checkbox in the table's head, which is hidden there. */}
      {selectsAll && (
        <label className="select-all">
          <input {...selectsAll} /> {t('Select all on this page')}
        </label>
      )}
      <table className="data-table">
        <caption className="unseen">{caption}</caption>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {selection && (
                <th scope="col" className="select">
                  <input {...selectsAll} aria-label={t('Select all on this page')} />
                </th>
              )}
              {group.headers.map((header) => (
                <th
                  key={header.id}
                  scope="col"
                  className={classes.get(header.column.id)}
                  aria-sort={directionOf(byId.get(header.column.id), sort)}
                >
                  <Heading column={byId.get(header.column.id)} sort={sort} onSort={onSort} />
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id} data-selected={row.getIsSelected() || undefined} onClick={openRow} onAuxClick={openRow}>
              {selection && (
                <td className="select">
                  <input
                    type="checkbox"
                    aria-label={selection.label(row.id)}
                    checked={row.getIsSelected()}
                    onChange={row.getToggleSelectedHandler()}
                  />
                </td>
              )}
              {row.getAllCells().map((cell) => (
                <td
                  key={cell.id}
                  className={classes.get(cell.column.id)}
                  data-column={cell.column.id}
                  data-label={String(cell.column.columnDef.header)}
                >
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Lets long words break, so that no column becomes wider than the table. */
function shown(content: ReactNode): ReactNode {
  return typeof content === 'string' ? <Breakable text={content} /> : content;
}

function classOf<Row>({ numeric, short, wideOnly, long }: Column<Row>, isFirst: boolean): string | undefined {
  const classes = [isFirst && 'lead', numeric && 'numeric', short && 'nowrap', wideOnly && 'wide-only', long && 'long'];
  return classes.filter(Boolean).join(' ') || undefined;
}

/** Shows "1–20 of 312" with buttons for the previous and the next page. */
export function Pager({
  page,
  pages,
  limit,
  total,
  onPage,
}: {
  page: number;
  pages: number;
  limit: number;
  total: number;
  onPage: (page: number) => void;
}) {
  const { number } = useFormat();
  if (total === 0) return null;
  const first = (page - 1) * limit + 1;
  return (
    <nav className="pager" aria-label={t('Pages')}>
      <span>
        {t('{first}–{min} of {total}', {
          first: number(first),
          min: number(Math.min(page * limit, total)),
          total: number(total),
        })}
      </span>
      <Button disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {t('Previous')}
      </Button>
      <Button disabled={page >= pages} onClick={() => onPage(page + 1)}>
        {t('Next')}
      </Button>
    </nav>
  );
}
