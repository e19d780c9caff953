import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ifMatch, type Versioned } from '../../../api.ts';
import { t } from '../../../language/texts.ts';
import { useCan, useMe } from '../../../session/use-me.ts';
import { Badge } from '../../../ui/badge.tsx';
import { LinkButton } from '../../../ui/button.tsx';
import { DeleteButton } from '../../../ui/delete-button.tsx';
import { EditorFrame } from '../../../ui/form/frames.tsx';
import { useEditing } from '../../../ui/form/use-editing.ts';
import { LoadError, Loading, Page } from '../../../ui/page.tsx';
import { usePriceQuestion } from '../../../ui/price-question.tsx';
import { toast } from '../../../ui/toasts.tsx';
import { mergedProduct, type ProductDraft, priceChanges, productInWords } from './draft.ts';
import { Editor } from './editor.tsx';
import { forgetProducts, loadProduct, SHOWN_BY, saveProduct } from './save.ts';

export function EditProduct({ params }: { params: Record<string, string> }) {
  const id = params.product_id ?? '';
  const product = useQuery({
    queryKey: ['products', 'one', id],
    queryFn: ({ signal }) => loadProduct(id, signal),
    // The editor keeps the state with which it started. A newer state arrives as a conflict or after a save.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (product.data) return <Loaded key={id} id={id} loaded={product.data} />;
  return (
    <Page title={t('Product')} back={{ to: '/products', label: t('Products') }}>
      {product.error ? <LoadError error={product.error} onRetry={() => void product.refetch()} /> : <Loading />}
    </Page>
  );
}

function Loaded({ id, loaded }: { id: string; loaded: Versioned<ProductDraft> }) {
  const editing = useEditing(loaded, {
    send: (draft, over) => saveProduct(id, draft, over),
    read: () => loadProduct(id),
    merge: mergedProduct,
    words: productInWords,
    onSaved: async () => {
      await forgetProducts();
      toast(t('Saved.'));
    },
  });
  const { base, form } = editing;
  const can = useCan();
  const prices = usePriceQuestion();
  const [gone, setGone] = useState(false);
  return (
    <Page
      title={base.data.name ?? ''}
      back={{ to: '/products', label: t('Products') }}
      status={<Badge value={base.data.status} />}
      actions={
        <>
          <Preview id={id} product={base.data} />
          {can('products:write') && <LinkButton to={`/products/new?from=${id}`}>{t('Duplicate product')}</LinkButton>}
          {can('products:write') && <Delete id={id} product={base} onDeleted={() => setGone(true)} />}
        </>
      }
    >
      <EditorFrame
        editing={editing}
        isGone={gone}
        onSave={() => prices.ask(priceChanges(base.data, form.getValues()), () => void editing.save())}
      >
        <Editor isNew={false} onUploading={editing.setWaiting} />
      </EditorFrame>
      {prices.question}
    </Page>
  );
}

/** A link to an active product: to its page in the shop, otherwise to the hosted page to buy it. */
function Preview({ id, product: { slug, status, variants } }: { id: string; product: ProductDraft }) {
  const { merchant } = useMe();
  const settings = useQuery({
    queryKey: ['settings', merchant.id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/settings', { signal })),
    staleTime: 60_000,
  });
  if (!settings.data || status !== 'active') return null;
  const { product_url_template, storefront_url } = settings.data;
  const template = product_url_template ?? (storefront_url && `${storefront_url.replace(/\/$/, '')}/products/{slug}`);
  // Without pages of its own, the shop sells through the hosted page.
  const hosted = `/sites/${merchant.site_id}/buy/${variants[0]?.id}:1`;
  const ownPage = template?.replace('{slug}', () => encodeURIComponent(slug ?? '')).replace('{id}', () => id);
  const isOwn = ownPage && /^https?:\/\//.test(ownPage);
  return (
    <a className="button plain" target="_blank" rel="noreferrer" href={isOwn ? ownPage : hosted}>
      {isOwn ? t('View in the shop') : t('View the page to buy it')}
    </a>
  );
}

function Delete({ id, product, onDeleted }: { id: string; product: Versioned<ProductDraft>; onDeleted: () => void }) {
  const { name = '' } = product.data;
  const params = { path: { product_id: id } };
  return (
    <DeleteButton
      name={name}
      action={t('Delete product')}
      list="/products"
      send={() =>
        unwrap(api.DELETE('/api/dashboard/products/{product_id}', { params, headers: ifMatch(product.etag) }))
      }
      shownBy={SHOWN_BY}
      onDeleted={onDeleted}
    >
      {t(
        'It is permanently removed from the shop and its collections. Orders keep their items. To hide it instead, set its status to Archived.',
      )}
    </DeleteButton>
  );
}
