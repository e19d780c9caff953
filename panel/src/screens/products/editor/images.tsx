import { type PointerEvent, useRef, useState } from 'react';
import { useFieldArray, useFormContext, useWatch } from 'react-hook-form';
import { t } from '../../../language/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/page.tsx';
import { ReorderControls, useReorder } from '../../../ui/reorder.tsx';
import { toastUndo } from '../../../ui/toasts.tsx';
import { AddPictures, type UploadingProps } from './add-pictures.tsx';
import { usedOptions } from './combinations.ts';
import { Field, type ProductDraft, type VariantDraft } from './draft.ts';
import { PictureVariants } from './picture-variants.tsx';

/** The product's images. Lists show the first one. The user can reorder them by dragging or with buttons. */
export function Images({ onUploading }: UploadingProps) {
  const {
    getValues,
    setValue,
    formState: { defaultValues },
  } = useFormContext<ProductDraft>();
  const stored = useRef(defaultValues);
  stored.current = defaultValues;
  const {
    fields: images,
    append,
    insert,
    move,
    remove,
  } = useFieldArray<ProductDraft, 'images', 'key'>({
    name: 'images',
    keyName: 'key',
  });
  const options = useWatch<ProductDraft, 'options'>({ name: 'options' });
  const reorder = useReorder(images.length, move);
  /** Removes an image, also from the variants that use it. The user can undo both. */
  const removeImage = (at: number) => {
    const image = getValues(`images.${at}`);
    const isLast = !images.some(({ url }, i) => i !== at && url === image.url);
    const users = isLast ? getValues('variants').filter(({ image_url }) => image_url === image.url) : [];
    const show = (from: string | null | undefined, to: string | null | undefined) => {
      const shown = new Set(users.map(choiceOf));
      const changed = (variant: VariantDraft) =>
        (variant.image_url ?? null) === from && shown.has(choiceOf(variant)) ? { ...variant, image_url: to } : variant;
      if (users.length > 0) setValue('variants', getValues('variants').map(changed), { shouldDirty: true });
    };
    remove(at);
    show(image.url, null);
    toastUndo(t('The picture is removed.'), () => {
      // If a save has removed the picture in the meantime, it is added as a new one.
      const { id, ...asNew } = image;
      const isStored = id === undefined || stored.current?.images?.some((each) => each?.id === id);
      insert(Math.min(at, getValues('images').length), isStored ? image : asNew, { shouldFocus: false });
      show(null, image.url);
    });
  };
  return (
    <Card title={t('Pictures')}>
      {images.length === 0 && (
        <p className="hint">
          {t('The first picture stands for the product in lists. Customers buy what they can see.')}
        </p>
      )}
      <ul className="images" ref={reorder.list}>
        {images.map(({ key, url = '' }, index) => (
          <li key={key} data-index={index} data-dragged={reorder.dragged(index) || undefined}>
            <Shown url={url} alt={getValues(`images.${index}.alt`) ?? ''} onGrab={() => reorder.grab(index)} />
            <Field.Text
              name={`images.${index}.alt`}
              label={t('Alt text of picture {index}', { index: index + 1 })}
              maxLength={500}
              placeholder={t('Describes it to people who cannot see it.')}
            />
            {usedOptions({ options }).length > 0 && (
              <PictureVariants url={url} name={t('picture {index}', { index: index + 1 })} />
            )}
            <div className="image-tools">
              <ReorderControls reorder={reorder} index={index} name={t('picture {index}', { index: index + 1 })} />
              <Button aria-label={t('Remove picture {index}', { index: index + 1 })} onClick={() => removeImage(index)}>
                {t('Remove')}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <p className="unseen" role="status">
        {reorder.said}
      </p>
      <AddPictures
        onAdd={(image) => append({ alt: null, ...image }, { shouldFocus: false })}
        onUploading={onUploading}
      />
    </Card>
  );
}

/** Names a variant by its options, also a new one without an id. */
function choiceOf({ option1, option2, option3 }: VariantDraft): string {
  return JSON.stringify([option1, option2, option3]);
}

/**
 * An image in the list. A mouse can drag the whole image. On touch screens only its handle can be dragged, because
 * touching the image scrolls.
 */
function Shown({ url, alt, onGrab }: { url: string; alt: string; onGrab: () => void }) {
  const [broken, setBroken] = useState(false);
  if (broken) return <p className="picture-missing">{t('This address shows no picture.')}</p>;
  const grab = (event: PointerEvent) => {
    if (event.pointerType !== 'mouse' || event.button !== 0) return;
    event.preventDefault();
    onGrab();
  };
  return <img src={url} alt={alt} draggable={false} onPointerDown={grab} onError={() => setBroken(true)} />;
}
