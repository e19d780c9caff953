import { useWatch } from 'react-hook-form';
import { useCan } from '../../session/use-me.ts';
import { CollectionProducts, FoundByRules } from './collection-products.tsx';
import { type Collection, type CollectionDraft, listedProductOf } from './draft.ts';
import { CollectionShowing, CollectionWords, Rules } from './fields.tsx';
import './collections.css';
import { t } from '../../language/texts.ts';

/** The fields and products of a new or existing collection. */
export function CollectionForm({
  saved,
  onUploading,
}: {
  saved?: Collection;
  /** Called with the number of running image uploads. */
  onUploading: (waiting: number) => void;
}) {
  const can = useCan();
  const type = useWatch<CollectionDraft, 'type'>({ name: 'type' });
  return (
    <fieldset className="columns" disabled={!can('products:write')}>
      <legend className="unseen">{t('Collection')}</legend>
      <div className="stack">
        <CollectionWords onUploading={onUploading} />
        {type === 'automatic' && <Rules />}
        {type === 'manual' && <CollectionProducts hidden={saved ? saved.products_count - saved.products.length : 0} />}
        {type === 'automatic' && saved && (
          <FoundByRules products={saved.products.map(listedProductOf)} count={saved.products_count} />
        )}
      </div>
      <div className="stack">
        <CollectionShowing type={type} />
      </div>
    </fieldset>
  );
}
