import { type DragEvent, type FormEvent, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Card } from '../../../ui/page.tsx';
import { moved, ReorderControls, useReorder } from '../../../ui/reorder.tsx';
import type { PartProps } from './details.tsx';
import { type ImageDraft, newKey } from './draft.ts';

/** The pictures of a product, the first one for lists. They are put in order by dragging or by buttons. */
export function Images({ draft, onChange, errorOf }: PartProps) {
  const { images } = draft;
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
            <Shown image={image} />
            <TextField
              label={`What picture ${index + 1} shows`}
              value={image.alt}
              maxLength={500}
              placeholder="For those who cannot see it"
              error={errorOf(`images.${index}.url`) ?? errorOf(`images.${index}.alt`)}
              onChange={(event) => change(image.key, event.target.value)}
            />
            <div className="image-tools">
              <ReorderControls reorder={reorder} index={index} name={`picture ${index + 1}`} />
              <Button
                aria-label={`Remove picture ${index + 1}`}
                onClick={() => onChange({ images: images.filter(({ key }) => key !== image.key) })}
              >
                Remove
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <p className="unseen" role="status">
        {reorder.said}
      </p>
      <AddByAddress onAdd={(url) => onChange({ images: [...images, { key: newKey(), url, alt: '' }] })} />
    </Card>
  );
}

function Shown({ image: { url, alt } }: { image: ImageDraft }) {
  const [broken, setBroken] = useState(false);
  if (broken) return <p className="picture-missing">This address shows no picture.</p>;
  return <img src={url} alt={alt} draggable={false} onError={() => setBroken(true)} />;
}

/** A picture that is on the web already: its address is typed, pasted or dropped. */
function AddByAddress({ onAdd }: { onAdd: (url: string) => void }) {
  const [error, setError] = useState<string>();
  const [over, setOver] = useState(false);
  const input = useRef<HTMLFormElement>(null);

  function add(text: string) {
    const url = text.trim().split(/\s/, 1)[0] ?? '';
    if (!/^https?:\/\/\S+$/.test(url)) {
      setError('Give an address that begins with https://');
      return;
    }
    setError(undefined);
    input.current?.reset();
    onAdd(url);
  }

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    add(String(new FormData(event.currentTarget).get('url')));
  }

  function onDrop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    add(event.dataTransfer.getData('text/uri-list') || event.dataTransfer.getData('text/plain'));
  }

  return (
    <form
      ref={input}
      className={over ? 'drop over' : 'drop'}
      noValidate
      onSubmit={onSubmit}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <TextField
        label="Add a picture by its address"
        name="url"
        type="url"
        inputMode="url"
        placeholder="https://"
        hint="Or drop a picture of another page here."
        error={error}
      />
      <Button type="submit">Add</Button>
    </form>
  );
}
