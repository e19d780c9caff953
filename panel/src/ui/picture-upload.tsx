import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { inWords } from '../api.ts';
import { t } from '../language/texts.ts';
import { TextField } from './field.tsx';
import { Held } from './held.tsx';
import { PICTURE_TYPES, uploadPicture } from './upload.ts';

/** Uploads an image and passes on its URL. If the field was unmounted during the upload, the URL is discarded. */
export function PictureUpload({
  label,
  onUploaded,
  onUploading,
}: {
  label: string;
  onUploaded: (url: string) => void;
  /** Called with the number of running uploads. A save would lack these images. */
  onUploading: (waiting: number) => void;
}) {
  const upload = useMutation({ mutationFn: uploadPicture });
  const waiting = upload.isPending ? 1 : 0;
  useEffect(() => {
    onUploading(waiting);
    return () => onUploading(0);
  }, [waiting, onUploading]);
  return (
    <Held busy={upload.isPending}>
      <TextField
        label={label}
        type="file"
        accept={PICTURE_TYPES.join()}
        hint={upload.isPending ? t('Uploading…') : t('JPEG, PNG or WebP, 20 MB at most.')}
        error={upload.error ? inWords(upload.error) : undefined}
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file) upload.mutate(file, { onSuccess: ({ url }) => onUploaded(url) });
        }}
      />
    </Held>
  );
}
