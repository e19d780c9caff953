import { NotFoundError, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { AddToCart } from '../../../../components/add-to-cart.tsx';
import { Gallery } from '../../../../components/gallery.tsx';
import type { Query } from '../../../../components/listing.tsx';
import { languageOf } from '../../../../lib/language.ts';
import { shopperClient } from '../../../../lib/shop.ts';
import { money } from '../../../../lib/words.ts';

type Product = Schemas['Product'];
type Variant = Product['variants'][number];

interface ProductProps {
  params: Promise<{ lang: string; slug: string }>;
  searchParams: Promise<Query>;
}

const read = cache(async (id_or_slug: string) => {
  const shop = await shopperClient();
  return unwrap(shop.GET('/api/storefront/products/{id_or_slug}', { params: { path: { id_or_slug } } })).catch(
    (error) => {
      if (error instanceof NotFoundError) notFound();
      throw error;
    },
  );
});

export async function generateMetadata({ params }: ProductProps): Promise<Metadata> {
  const { name, seo_title, seo_description, description, images } = await read((await params).slug);
  return {
    title: seo_title ?? name,
    description: seo_description ?? description,
    openGraph: { images: images.slice(0, 1).map(({ url }) => url) },
  };
}

export default async function ProductPage({ params, searchParams }: ProductProps) {
  const language = await languageOf(params);
  const product = await read((await params).slug);
  const { variant: wanted } = await searchParams;
  const variant =
    product.variants.find(({ id }) => id === wanted) ??
    product.variants.find(({ available }) => available) ??
    product.variants[0];
  return (
    <article className="product">
      <Gallery key={variant?.id} images={imagesOf(product, variant)} name={product.name} />
      <div>
        {product.vendor && <p className="quiet">{product.vendor}</p>}
        <h1>{product.name}</h1>
        {variant && (
          <>
            <p className="price">
              {money(language, variant.price, product.currency)}{' '}
              {variant.compare_at_price && <s>{money(language, variant.compare_at_price, product.currency)}</s>}
            </p>
            {product.options.map((option, place) => (
              <Choice key={option.name} product={product} chosen={variant} option={option} place={place} />
            ))}
            <AddToCart key={variant.id} variant_id={variant.id} available={variant.available} />
          </>
        )}
        <p>{product.description}</p>
      </div>
    </article>
  );
}

/** The pictures of the variant, then those that belong to no variant; all pictures if there are neither. */
function imagesOf({ images }: Product, variant: Variant | undefined) {
  const own = images.filter(({ variant_ids }) => variant && variant_ids.includes(variant.id));
  const common = images.filter(({ variant_ids }) => variant_ids.length === 0);
  return own.length + common.length > 0 ? [...own, ...common] : images;
}

const FIELDS = ['option1', 'option2', 'option3'] as const;

interface ChoiceProps {
  product: Product;
  chosen: Variant;
  option: Product['options'][number];
  place: number;
}

/** Each value links to the variant that has the value and otherwise differs least from the chosen variant. */
function Choice({ product, chosen, option, place }: ChoiceProps) {
  const field = FIELDS[place] ?? 'option1';
  const likeness = (one: Variant) => FIELDS.filter((other) => one[other] === chosen[other]).length;
  return (
    <nav className="choice" aria-label={option.name}>
      <p>
        {option.name}: <strong>{chosen[field]}</strong>
      </p>
      <ul>
        {option.values.map((value) => {
          const [best] = product.variants
            .filter((one) => one[field] === value)
            .sort((one, other) => likeness(other) - likeness(one));
          return (
            <li key={value}>
              {best ? (
                <a href={`?variant=${best.id}`} aria-current={chosen[field] === value || undefined}>
                  {value}
                </a>
              ) : (
                <s>{value}</s>
              )}
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
