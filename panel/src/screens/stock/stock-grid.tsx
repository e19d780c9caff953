import type { KeyboardEvent } from 'react';
import { Link } from 'wouter';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CellInput } from '../../ui/cell-input.tsx';
import { Pictured } from '../../ui/picture.tsx';
import { amountOf, type StockChanges, type StockItem } from './changes.tsx';

/** Available quantity of each variant, editable in the table. Enter and the arrow keys move between rows. */
export function StockGrid({
  items,
  changes,
  canEdit,
  onMovements,
}: {
  items: StockItem[];
  changes: StockChanges;
  canEdit: boolean;
  onMovements: (item: StockItem) => void;
}) {
  return (
    <div className="table-box">
      <table className="data-table stock-grid" onKeyDown={moveByKey}>
        <caption className="unseen">{t('Stock')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('Product')}</th>
            <th scope="col" className="wide-only">
              {t('SKU')}
            </th>
            <th scope="col" className="numeric wide-only">
              {t('Reserved')}
            </th>
            <th scope="col">{t('Level')}</th>
            <th scope="col">{t('Available')}</th>
            <th scope="col">
              <span className="unseen">{t('Movements')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Row
              key={item.variant_id}
              item={item}
              changes={changes}
              canEdit={canEdit}
              onMovements={() => onMovements(item)}
            />
          ))}
        </tbody>
      </table>
      {canEdit && (
        <p className="hint stock-hint">
          {t(
            'Enter the counted quantity, or a change such as +24 or -3. Items that open checkouts reserve are not included.',
          )}
        </p>
      )}
    </div>
  );
}

function Row({
  item,
  changes,
  canEdit,
  onMovements,
}: {
  item: StockItem;
  changes: StockChanges;
  canEdit: boolean;
  onMovements: () => void;
}) {
  const { number } = useFormat();
  const change = changes.of(item.variant_id);
  const name = item.variant_name ? `${item.product_name}, ${item.variant_name}` : item.product_name;
  const wrong =
    change && (change.error ?? (amountOf(change.item, change.typed) ? undefined : t('Not a whole number.')));
  return (
    <tr data-selected={change ? true : undefined}>
      <td data-label={t('Product')}>
        <Pictured url={item.image_url}>
          <Link to={`/products/${item.product_id}`}>{item.product_name}</Link>
          {item.variant_name && <span className="hint second-line">{item.variant_name}</span>}
        </Pictured>
      </td>
      <td data-label="SKU" className="sku wide-only">
        {item.sku}
      </td>
      <td data-label={t('Reserved')} className="numeric wide-only">
        {number(item.reserved)}
      </td>
      <td data-label={t('Level')} className="level">
        <Level item={item} />
      </td>
      <td data-label={t('Available')} className="available">
        {canEdit && item.track_inventory ? (
          <CellInput
            label={t('Available, {name}', { name })}
            error={wrong}
            value={change?.typed ?? String(item.inventory_quantity)}
            onFocus={(event) => event.currentTarget.select()}
            onChange={(event) => changes.type(item, event.target.value)}
          />
        ) : (
          number(item.inventory_quantity)
        )}
      </td>
      <td data-label={t('Movements')} className="movements">
        <Button kind="quiet" aria-label={t('Movements of {name}', { name })} onClick={onMovements}>
          {t('Movements')}
        </Button>
      </td>
    </tr>
  );
}

function Level({ item }: { item: StockItem }) {
  if (!item.track_inventory) return <Badge value="not_counted" />;
  if (item.is_out_of_stock) return <Badge value="out_of_stock" />;
  if (item.is_low_stock) return <Badge value="low_stock">{t('Low')}</Badge>;
  return <span className="quiet-text">{t('enough')}</span>;
}

/** Moves the focus with Up, Down and Enter like a spreadsheet. */
function moveByKey(event: KeyboardEvent<HTMLTableElement>): void {
  const step = { ArrowUp: -1, ArrowDown: 1, Enter: 1 }[event.key];
  if (step === undefined || !(event.target instanceof HTMLInputElement)) return;
  event.preventDefault();
  const inputs = [...event.currentTarget.querySelectorAll('input')];
  inputs[inputs.indexOf(event.target) + step]?.focus();
}
