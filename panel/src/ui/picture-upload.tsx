import { useMutation } from '@tanstack/react-query';
import { inWords } from '../api.ts';
import { TextField } from './field.tsx';
import { PICTURE_TYPES, uploadPicture } from './upload.ts';

/** Brings one picture of the reader's own into the shop, and tells its address. */
export function PictureUpload({ label, onUploaded }: { label: string; onUploaded: (url: string) => void }) {
  const upload = useMutation({ mutationFn: uploadPicture, onSuccess: ({ url }) => onUploaded(url) });
  return (
    <TextField
      label={label}
      type="file"
      accept={PICTURE_TYPES.join()}
      disabled={upload.isPending}
      hint={upload.isPending ? 'Uploading…' : 'JPEG, PNG or WebP, 20 MB at most.'}
      error={upload.error ? inWords(upload.error) : undefined}
      onChange={({ target }) => {
        const file = target.files?.[0];
        if (file) upload.mutate(file);
      }}
    />
  );
}
