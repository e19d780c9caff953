import type { FileFailure } from '@commerce-backend/spec';

const SENTENCES: Record<FileFailure['code'], string> = {
  unreadable: 'This is no JPEG, PNG or WebP picture, or it is cut off or damaged.',
  wrong_type: 'This is a picture of another type than was announced.',
  too_large:
    'The picture has too many pixels: 50 megapixels at most, and 10 to 20 where it is saved as progressive or interlaced.',
  no_room: 'The pictures made of it would exceed what the shop may keep.',
  not_processed: 'The picture could not be processed. Upload it again.',
};

/** Why a file has failed, for the merchant. */
export function sentenceOf(code: FileFailure['code']): string {
  return SENTENCES[code];
}
