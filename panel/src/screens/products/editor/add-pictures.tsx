import { type DragEvent, type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { webAddress } from '../../../../../cli/src/formats/typed-text.ts';
import { t } from '../../../language/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import { PICTURE_TYPES, uploadPicture } from '../../../ui/upload.ts';

type Add = (image: { url: string; file_id?: string }) => void;

export interface UploadingProps {
  /** Called with the number of running uploads. A save during an upload lacks its image. */
  onUploading: (waiting: number) => void;
}

/** Adds images: uploaded files, dropped or selected, or images on the web by URL. */
export function AddPictures({ onAdd, onUploading }: { onAdd: Add } & UploadingProps) {
  const [errors, setErrors] = useState<unknown[]>([]);
  const [over, setOver] = useState(false);
  const fail = useCallback((error: unknown) => setErrors((before) => [...before, error]), []);
  const uploads = useUploads(onAdd, fail);
  const { waiting } = uploads;
  useEffect(() => {
    onUploading(waiting);
    return () => onUploading(0);
  }, [waiting, onUploading]);

  function send(files: File[]) {
    setErrors([]);
    void uploads.send(files);
  }

  function addAddress(text: string): boolean {
    // A dropped text is a list with one URL per line.
    const url = webAddress(text.trim().split(/[\r\n]/, 1)[0] ?? '');
    const known = /^https?:\/\/\S+$/.test(url);
    setErrors(known ? [] : [t('Enter an address that begins with https://')]);
    if (known) onAdd({ url });
    return known;
  }

  function onDrop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const { files } = event.dataTransfer;
    if (files.length > 0) send([...files]);
    else addAddress(event.dataTransfer.getData('text/uri-list') || event.dataTransfer.getData('text/plain'));
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only a mouse can drop; button and field do the same
    <div
      className={over ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <p className="drop-files">
        <ChooseFiles onFiles={send} />
        <span className="hint" role="status">
          {waiting > 0 ? t('Uploading, {waiting} to go…', { waiting }) : t('Or drop them here: JPEG, PNG or WebP.')}
        </span>
      </p>
      <ByAddress onAdd={addAddress} />
      {errors.map((error, i) => (
        <FormError key={i} error={error} />
      ))}
    </div>
  );
}

/**
 * Uploads images one after the other. A failed upload does not stop the others. Images whose upload ends after the
 * field was unmounted are not added.
 */
function useUploads(onAdd: Add, onError: (error: unknown) => void) {
  const [waiting, setWaiting] = useState(0);
  const add = useRef(onAdd);
  add.current = onAdd;
  const gone = useRef(false);
  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
    };
  }, []);

  async function send(files: File[]) {
    setWaiting((now) => now + files.length);
    for (const file of files) {
      if (gone.current) return;
      try {
        const { id, url } = await uploadPicture(file);
        if (!gone.current) add.current({ url, file_id: id });
      } catch (failure) {
        onError(failure);
      } finally {
        setWaiting((now) => now - 1);
      }
    }
  }

  return { send, waiting };
}

function ChooseFiles({ onFiles }: { onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onClick={() => input.current?.click()}>{t('Choose pictures')}</Button>
      <input
        ref={input}
        type="file"
        multiple
        className="unseen"
        tabIndex={-1}
        aria-label={t('Pictures to upload')}
        accept={PICTURE_TYPES.join()}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
    </>
  );
}

function ByAddress({ onAdd }: { onAdd: (url: string) => boolean }) {
  const [url, setUrl] = useState('');

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (onAdd(url)) setUrl('');
  }

  return (
    <form className="by-address" noValidate onSubmit={onSubmit}>
      <TextField
        label={t('Add a picture by its address')}
        type="url"
        inputMode="url"
        placeholder="https://"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <Button type="submit">{t('Add')}</Button>
    </form>
  );
}
