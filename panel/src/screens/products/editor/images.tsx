import { type PointerEvent, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Card } from '../../../ui/page.tsx';
import { moved, ReorderControls, useReorder } from '../../../ui/reorder.tsx';
import { AddPictures, type UploadingProps } from './add-pictures.tsx';
import { usedOptions } from './combinations.ts';
import type { PartProps } from './details.tsx';
import { type Draft, type ImageDraft, newKey } from './draft.ts';
import { PictureVariants } from './picture-variants.tsx';

/** The pictures of a product, the first one for lists. They are put in order by dragging or by buttons. */
export function Images({ draft, onChange, setDraft, errorOf, onUploading }: PartProps & UploadingProps) {
  const { images } = draft;
  // Uploads end one after the other, and later than the next change.
  const add = (image: Pick<ImageDraft, 'url' | 'file_id'>) =>
    setDraft((now) => ({ ...now, images: [...now.images, { key: newKey(), alt: '', ...image }] }));
  const reorder = useReorder(images.length, (from, to) => onChange({ images: moved(images, from, to) }));
  const change = (key: string, alt: string) =>
    onChange({ images: images.map((image) => (image.key === key ? { ...image, alt } : image)) });
  return (
    <Card title="Pictures">
      {images.length === 0 && (
        <p className="hint">The first picture stands for the product in lists. Customers buy what they can see.</p>
      )}
      <ul className="images" ref={reorder.list}>
        {images.map((image, index) => (
          <li key={image.key} data-index={index} data-dragged={reorder.dragged(index) || undefined}>
            <Shown image={image} onGrab={() => reorder.grab(index)} />
            <TextField
              label={`What picture ${index + 1} shows`}
              value={image.alt}
              maxLength={500}
              placeholder="For those who cannot see it"
              error={errorOf(`images.${index}.url`) ?? errorOf(`images.${index}.alt`)}
              onChange={(event) => change(image.key, event.target.value)}
            />
            {usedOptions(draft).length > 0 && (
              <PictureVariants draft={draft} url={image.url} name={`picture ${index + 1}`} onChange={onChange} />
            )}
            <div className="image-tools">
              <ReorderControls reorder={reorder} index={index} name={`picture ${index + 1}`} />
              <Button aria-label={`Remove picture ${index + 1}`} onClick={() => onChange(withoutImage(draft, image))}>
                Remove
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <p className="unseen" role="status">
        {reorder.said}
      </p>
      <AddPictures onAdd={add} onUploading={onUploading} />
    </Card>
  );
}

/** The variants that it was the picture of have none of their own any more. */
function withoutImage({ images, variants }: Draft, { key, url }: ImageDraft): Partial<Draft> {
  const left = images.filter((image) => image.key !== key);
  if (left.some((image) => image.url === url)) return { images: left };
  return {
    images: left,
    variants: variants.map((variant) => (variant.image_url === url ? { ...variant, image_url: '' } : variant)),
  };
}

/** The mouse may drag the picture itself; a finger on it scrolls, and drags by the handle. */
function Shown({ image: { url, alt }, onGrab }: { image: ImageDraft; onGrab: () => void }) {
  const [broken, setBroken] = useState(false);
  if (broken) return <p className="picture-missing">This address shows no picture.</p>;
  const grab = (event: PointerEvent) => {
    if (event.pointerType !== 'mouse' || event.button !== 0) return;
    event.preventDefault();
    onGrab();
  };
  return <img src={url} alt={alt} draggable={false} onPointerDown={grab} onError={() => setBroken(true)} />;
}
