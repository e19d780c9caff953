import { useCallback } from 'react';
import { useFieldArray, useWatch } from 'react-hook-form';
import { useCan } from '../../../session/use-me.ts';
import type { UploadingProps } from './add-pictures.tsx';
import { usedOptions } from './combinations.ts';
import { Metadata, Organisation, SearchEngines, TaxAndReturns, Words } from './details.tsx';
import type { ProductDraft } from './draft.ts';
import { Images } from './images.tsx';
import { Options } from './options.tsx';
import { SingleVariant } from './single-variant.tsx';
import { VariantGrid } from './variant-grid.tsx';
import './editor.css';
import { t } from '../../../language/texts.ts';

/** The fields of a new or existing product. */
export function Editor({ isNew, onUploading }: { isNew: boolean } & UploadingProps) {
  const can = useCan();
  return (
    <fieldset className="editor" disabled={!can('products:write')}>
      <legend className="unseen">{t('Product')}</legend>
      <div className="columns">
        <div className="stack">
          <Words isNew={isNew} />
          <Images onUploading={onUploading} />
          <Variants isNew={isNew} canCount={isNew || can('inventory:write')} />
        </div>
        <div className="stack side">
          <Organisation />
          <TaxAndReturns />
        </div>
        <div className="stack">
          <SearchEngines />
          <Metadata />
        </div>
      </div>
    </fieldset>
  );
}

function Variants({ isNew, canCount }: { isNew: boolean; canCount: boolean }) {
  const options = useWatch<ProductDraft, 'options'>({ name: 'options' });
  const { fields, remove } = useFieldArray<ProductDraft, 'variants', 'key'>({ name: 'variants', keyName: 'key' });
  const onRemove = useCallback((at: number) => remove(at), [remove]);
  const isSingle = usedOptions({ options }).length === 0;
  return (
    <>
      {isSingle && <SingleVariant key={fields[0]?.key} canCount={canCount} />}
      <Options isNew={isNew} />
      {!isSingle && <VariantGrid variants={fields} canCount={canCount} onRemove={onRemove} />}
    </>
  );
}
