/**
 * Detects text encodings. UTF-8 is recognized, and UTF-16 if it has a byte order mark. Single-byte encodings cannot be
 * distinguished, and a wrong guess would store wrong letters, so other files are rejected unless the user names the
 * encoding. The exception is a file whose only non-ASCII letters are the German ones, é and €: their bytes are text
 * only in Windows-1252 and related Windows encodings, which have the same letters there.
 */

import { FormatError } from './reading.ts';

/** The file is not UTF-8, and no encoding was given. */
export class UnknownEncoding extends FormatError {
  constructor(name: string) {
    super(
      `${name} is not UTF-8. Save it as "CSV UTF-8", or name its encoding with --encoding: windows-1252 (Western Europe), ` +
        'windows-1250 (Central Europe), windows-1251 (Cyrillic), windows-1254 (Turkish), shift_jis (Japanese) or another.',
    );
  }
}

/** ä ö ü Ä Ö Ü ß é É € */
const SAFE_AS_WINDOWS_1252 = new Set([0xe4, 0xf6, 0xfc, 0xc4, 0xd6, 0xdc, 0xdf, 0xe9, 0xc9, 0x80]);
const ASCII = 0x80;

/**
 * The encoding of a file, which is the named one or detected from all bytes. Throws UnknownEncoding or a FormatError.
 */
export async function encodingOf(name: string, chunks: AsyncIterable<Uint8Array>, named?: string): Promise<string> {
  const decoder = named === undefined ? undefined : strictDecoder(named);
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let first: Uint8Array | undefined;
  let isUtf8 = true;
  let isSafe = true;
  for await (const bytes of chunks) {
    if (decoder) {
      if (!decodes(decoder, bytes)) throw new FormatError(`${name} is not valid ${named}.`);
      continue;
    }
    first ??= bytes;
    const utf16 = utf16Of(first);
    if (utf16) return utf16;
    isUtf8 &&= !bytes.includes(0) && decodes(utf8, bytes);
    isSafe &&= isSafeAsWindows1252(bytes);
    if (!isUtf8 && !isSafe) throw new UnknownEncoding(name);
  }
  if (named !== undefined) return named;
  if (isUtf8 && decodes(utf8)) return 'utf-8';
  if (isSafe) return 'windows-1252';
  throw new UnknownEncoding(name);
}

/** Does not use `every`, which would be too slow for files of gigabytes. */
function isSafeAsWindows1252(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte === 0 || (byte >= ASCII && !SAFE_AS_WINDOWS_1252.has(byte))) return false;
  return true;
}

function strictDecoder(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new FormatError(
      `There is no encoding ${encoding}. Write it as windows-1250, iso-8859-2 or shift_jis, for example.`,
    );
  }
}

/** Whether a chunk continues a valid text. Without a chunk: whether the text may end here. */
function decodes(decoder: InstanceType<typeof TextDecoder>, bytes?: Uint8Array): boolean {
  try {
    decoder.decode(bytes, { stream: bytes !== undefined });
    return true;
  } catch {
    return false;
  }
}

function utf16Of([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** Decodes a file without its byte order mark. Throws like `encodingOf`. */
export async function decodedText(name: string, bytes: Uint8Array, named?: string): Promise<string> {
  return new TextDecoder(await encodingOf(name, once(bytes), named)).decode(bytes);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Decodes the first bytes of a file without its byte order mark. */
export function headText(bytes: Uint8Array, encoding = utf16Of(bytes) ?? 'utf-8'): string {
  return new TextDecoder(encoding).decode(bytes);
}

/** Converts the bytes of a file to UTF-8. */
export async function* asUtf8(chunks: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding);
  if (decoder.encoding === 'utf-8') {
    yield* chunks;
    return;
  }
  const encoder = new TextEncoder();
  for await (const bytes of chunks) yield encoder.encode(decoder.decode(bytes, { stream: true }));
  yield encoder.encode(decoder.decode());
}

/** Passes on the chunks of a file. Calls `onBytes` with the size of each. */
export async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: ((bytes: number) => void) | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of chunks) {
    onBytes?.(bytes.length);
    yield bytes;
  }
}
