import { useState } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { t } from '../../../language/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { usedOptions } from './combinations.ts';
import { optionsOf, type ProductDraft, type VariantDraft, variantName } from './draft.ts';

type Draft = Pick<ProductDraft, 'options' | 'variants' | 'images'>;

/** Selects the variants that an image shows. A variant has at most one image of its own. */
export function PictureVariants({ url, name }: { url: string; name: string }) {
  const [open, setOpen] = useState(false);
  const { setValue } = useFormContext<ProductDraft>();
  const [options, variants, images] = useWatch<ProductDraft, ['options', 'variants', 'images']>({
    name: ['options', 'variants', 'images'],
  });
  const draft = { options, variants, images };
  const show = (which: (variant: VariantDraft) => boolean, shown: boolean) =>
    setValue(
      'variants',
      variants.map((variant) => {
        if (!which(variant)) return variant;
        if (shown) return { ...variant, image_url: url };
        return variant.image_url === url ? { ...variant, image_url: null } : variant;
      }),
    );
  return (
    <div className="picture-variants">
      <span>{inWords(draft, url)}</span>
      <Button aria-label={t('Choose the variants of {name}', { name })} onClick={() => setOpen(true)}>
        {t('Variants…')}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t('Variants of {name}', { name })}>
        <p className="hint">
          {t('Shoppers who choose one of these see this picture. Others see the first picture, or their own.')}
        </p>
        <ByValue draft={draft} url={url} onShow={show} />
        <fieldset className="variant-boxes">
          <legend>{t('Variants')}</legend>
          {variants.map((variant, at) => (
            <Checkbox
              key={at}
              label={variantName(variant)}
              hint={otherPicture(draft, variant, url)}
              checked={variant.image_url === url}
              onChange={(event) => show((each) => each === variant, event.target.checked)}
            />
          ))}
        </fieldset>
        <footer>
          <Button kind="primary" onClick={() => setOpen(false)}>
            {t('Done')}
          </Button>
        </footer>
      </Dialog>
    </div>
  );
}

/** Selects all variants with an option value in one step, because most images show a colour. */
function ByValue({
  draft,
  url,
  onShow,
}: {
  draft: Draft;
  url: string;
  onShow: (which: (variant: VariantDraft) => boolean, shown: boolean) => void;
}) {
  return usedOptions(draft).map((option, at) => (
    <fieldset key={option.id ?? at} className="variant-boxes">
      <legend>{option.name || t('Option {at}', { at: at + 1 })}</legend>
      {option.values?.map((value) => {
        const has = (variant: VariantDraft) => optionsOf(variant)[at] === value;
        return (
          <Checkbox
            key={value}
            label={t('All {value}', { value })}
            checked={draft.variants.filter(has).every(({ image_url }) => image_url === url)}
            onChange={(event) => onShow(has, event.target.checked)}
          />
        );
      })}
    </fieldset>
  ));
}

function otherPicture({ images }: Draft, { image_url }: VariantDraft, url: string): string | undefined {
  if (!image_url || image_url === url) return undefined;
  const at = images.findIndex((image) => image.url === image_url);
  return at < 0 ? t('has another picture') : t('has picture {at}', { at: at + 1 });
}

/** Describes the variants that an image shows: "Red" for exactly the red ones, otherwise a few names or a number. */
function inWords(draft: Draft, url: string): string {
  const chosen = draft.variants.filter(({ image_url }) => image_url === url);
  if (chosen.length === 0) return t('Of the whole product');
  for (const [at, { values = [] }] of usedOptions(draft).entries()) {
    const value = values.find((one) => chosen.every((variant) => optionsOf(variant)[at] === one));
    const all = draft.variants.filter((variant) => optionsOf(variant)[at] === value);
    if (value !== undefined && all.length === chosen.length) return t('Of {value}', { value });
  }
  return chosen.length < 3
    ? t('Of {map}', { map: chosen.map(variantName).join(', ') })
    : t('Of {count} variants', { count: chosen.length });
}
