import { useCan } from '../../session/use-me.ts';
import { CollectionProducts, FoundByRules } from './collection-products.tsx';
import type { Collection, CollectionDraft } from './draft.ts';
import { CollectionShowing, CollectionWords, Rules } from './fields.tsx';
import type { ListedProduct } from './save.ts';
import './collections.css';

/** The fields of a collection, new or not, and its products. */
export function CollectionForm({
  draft,
  products,
  saved,
  errorOf,
  onChange,
  onProducts,
  onUploading,
}: {
  draft: CollectionDraft;
  products: ListedProduct[];
  saved?: Collection;
  errorOf: (field: string) => string | undefined;
  onChange: (changes: Partial<CollectionDraft>) => void;
  onProducts: (products: ListedProduct[]) => void;
  /** Hears how many pictures are on their way. */
  onUploading: (waiting: number) => void;
}) {
  const can = useCan();
  const part = { draft, onChange, errorOf };
  return (
    <fieldset className="columns" disabled={!can('products:write')}>
      <legend className="unseen">Collection</legend>
      <div className="stack">
        <CollectionWords {...part} onUploading={onUploading} />
        {draft.type === 'automatic' && <Rules {...part} />}
        {draft.type === 'manual' && (
          <CollectionProducts
            products={products}
            onChange={onProducts}
            hidden={saved ? saved.products_count - saved.products.length : 0}
            ownOrder={draft.sort_order === 'manual'}
          />
        )}
        {draft.type === 'automatic' && saved && <FoundByRules products={products} count={saved.products_count} />}
      </div>
      <div className="stack">
        <CollectionShowing {...part} />
      </div>
    </fieldset>
  );
}
