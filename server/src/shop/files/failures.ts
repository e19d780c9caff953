import type { FileFailure } from '@commerce-backend/spec';

const SENTENCES: Record<FileFailure['code'], string> = {
  unreadable: 'The file is not a JPEG, PNG or WebP image, or it is truncated or damaged.',
  wrong_type: 'The image type differs from the announced one.',
  too_large: 'The image has too many pixels: at most 50 megapixels, or 10 to 20 if it is progressive or interlaced.',
  no_room: 'The resized images would exceed the storage limit of the shop.',
  not_processed: 'The image could not be processed. Upload it again.',
};

/** The reason why a file failed, as a sentence for staff. */
export function sentenceOf(code: FileFailure['code']): string {
  return SENTENCES[code];
}
