import { memo } from 'react';
import { useFormat } from '../../../format.ts';
import { CellInput } from '../../../ui/cell-input.tsx';
import { NumberCell } from '../../../ui/number-field.tsx';
import { cellOf, type Edits, type Errors, type Field, isEditable, mistakeIn, type Row, savedIn } from './edits.ts';

interface BulkRowProps {
  at: number;
  row: Row;
  columns: { field: Field; title: string }[];
  edits: Edits;
  errors: Errors;
  canCount: boolean;
  onType: (cells: { row: Row; field: Field; value: string }[]) => void;
}

/** A variant in the bulk editor. Rendered again only if one of its cells changes. */
export const BulkRow = memo(function BulkRow({ at, row, columns, edits, errors, canCount, onType }: BulkRowProps) {
  return (
    <tr>
      <th scope="row">{row.name}</th>
      {columns.map(({ field, title }) => {
        const cell = cellOf(row.variant.id, field);
        const typed = edits.get(cell);
        const cellProps = {
          label: `${title}, ${row.name}`,
          error: errors.get(cell) ?? (typed === undefined ? undefined : mistakeIn(field, typed)),
          'data-row': at,
          'data-column': field,
        };
        const value = typed ?? savedIn(row, field);
        return (
          <td key={field} data-label={title} data-column={field} data-changed={typed === undefined ? undefined : true}>
            {isEditable(row, field, canCount) ? (
              <Cell
                {...cellProps}
                field={field}
                value={value}
                onValue={(next) => onType([{ row, field, value: next }])}
              />
            ) : (
              value
            )}
          </td>
        );
      })}
    </tr>
  );
}, isSame);

function isSame(before: BulkRowProps, after: BulkRowProps): boolean {
  return (
    before.row.variant === after.row.variant &&
    before.canCount === after.canCount &&
    before.columns.every(({ field }) => {
      const cell = cellOf(before.row.variant.id, field);
      return before.edits.get(cell) === after.edits.get(cell) && before.errors.get(cell) === after.errors.get(cell);
    })
  );
}

function Cell({
  field,
  value,
  onValue,
  ...cell
}: {
  field: Field;
  label: string;
  error: string | undefined;
  value: string;
  onValue: (value: string) => void;
}) {
  const { amounts } = useFormat();
  if (field === 'price' || field === 'compare_at_price') {
    return <NumberCell {...cell} texts={amounts} value={value} onValue={onValue} />;
  }
  return (
    <CellInput
      {...cell}
      value={value}
      inputMode={field === 'stock' ? 'numeric' : 'text'}
      maxLength={255}
      onChange={(event) => onValue(event.target.value)}
    />
  );
}
