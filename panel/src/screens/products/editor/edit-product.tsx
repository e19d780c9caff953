import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, ifMatch, type Versioned } from '../../../api.ts';
import { useCan, useMe } from '../../../session/use-me.ts';
import { Badge } from '../../../ui/badge.tsx';
import { ConflictDialog, conflictFields } from '../../../ui/conflict-dialog.tsx';
import { DeleteButton } from '../../../ui/delete-button.tsx';
import { Held } from '../../../ui/held.tsx';
import { LoadError, Loading, Page } from '../../../ui/page.tsx';
import { usePriceQuestion } from '../../../ui/price-question.tsx';
import { SaveBar } from '../../../ui/save-bar.tsx';
import { UnsavedGuard } from '../../../ui/unsaved.tsx';
import { inFields, priceChanges } from './differences.ts';
import { draftOf, type Product } from './draft.ts';
import { Editor } from './editor.tsx';
import { fieldErrors, loadProduct, SHOWN_BY, useEditor } from './use-editor.ts';

export function EditProduct({ params }: { params: Record<string, string> }) {
  const id = params.product_id ?? '';
  const product = useQuery({
    queryKey: ['products', 'one', id],
    queryFn: ({ signal }) => loadProduct(id, signal),
    // The editor holds what it began with; a newer state reaches it as a conflict, or after a save.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (product.data) return <Loaded key={id} loaded={product.data} />;
  return (
    <Page title="Product" back={{ to: '/products', label: 'Products' }}>
      {product.error ? <LoadError error={product.error} onRetry={() => void product.refetch()} /> : <Loading />}
    </Page>
  );
}

function Loaded({ loaded }: { loaded: Versioned<Product> }) {
  const editor = useEditor(loaded);
  const { base, draft, saving, conflict, dirty } = editor;
  const can = useCan();
  const prices = usePriceQuestion();
  const [gone, setGone] = useState(false);
  const [uploading, setUploading] = useState(0);
  const fields = useMemo(
    () =>
      conflict
        ? conflictFields(inFields(draftOf(base.data)), inFields(draft), inFields(draftOf(conflict.theirs.data)))
        : [],
    [conflict, base, draft],
  );
  return (
    <Page
      title={base.data.name}
      back={{ to: '/products', label: 'Products' }}
      status={<Badge value={base.data.status} />}
      actions={
        <>
          <Preview product={base.data} />
          {can('products:write') && <Delete product={base} onDeleted={() => setGone(true)} />}
        </>
      }
    >
      <UnsavedGuard dirty={(dirty || uploading > 0) && !gone} />
      <Held busy={saving !== undefined}>
        <Editor
          key={editor.round}
          draft={draft}
          setDraft={editor.setDraft}
          errorOf={fieldErrors(editor.error, draft)}
          isNew={false}
          onUploading={setUploading}
        />
      </Held>
      {(dirty || saving || uploading > 0) && (
        <SaveBar
          busy={saving !== undefined}
          waits={uploading > 0}
          status={uploading > 0 ? 'Pictures are still on their way.' : progressOf(saving)}
          onDiscard={editor.discard}
          onSave={() => prices.ask(priceChanges(base.data, draft), () => void editor.save())}
        />
      )}
      {prices.question}
      <ConflictDialog
        source={conflict?.source}
        fields={fields}
        busy={saving !== undefined}
        onKeepMine={() => void editor.keepMine()}
        onTakeTheirs={editor.takeTheirs}
        onClose={editor.closeConflict}
      />
    </Page>
  );
}

function progressOf(saving: { done: number; of: number } | undefined): string | undefined {
  return saving && saving.of > 1 ? `Saving ${saving.done + 1} of ${saving.of}…` : undefined;
}

/** The product in the shop's own pages, where the settings say where they are. */
function Preview({ product: { slug, status } }: { product: Product }) {
  const { merchant } = useMe();
  const settings = useQuery({
    queryKey: ['settings', merchant.id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/settings', { signal })),
    staleTime: 60_000,
  });
  const shop = settings.data?.storefront_url;
  if (!shop || !/^https?:\/\//.test(shop) || status !== 'active') return null;
  return (
    <a className="button plain" target="_blank" rel="noreferrer" href={`${shop.replace(/\/$/, '')}/products/${slug}`}>
      View in the shop
    </a>
  );
}

function Delete({ product, onDeleted }: { product: Versioned<Product>; onDeleted: () => void }) {
  const { id, name } = product.data;
  const params = { path: { product_id: id } };
  return (
    <DeleteButton
      name={name}
      action="Delete product"
      list="/products"
      send={() =>
        unwrap(api.DELETE('/api/dashboard/products/{product_id}', { params, headers: ifMatch(product.etag) }))
      }
      shownBy={SHOWN_BY}
      onDeleted={onDeleted}
    >
      It leaves the shop and its collections for good. Orders keep what was bought. To hide it and keep it, set its
      status to Archived instead.
    </DeleteButton>
  );
}
