/** The encoding that a file's first bytes name; undefined for UTF-8 and all that it cannot be told of. */
export function utf16Of([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** The text of a file's beginning, without its byte order mark. */
export function headText(bytes: Uint8Array): string {
  return new TextDecoder(utf16Of(bytes) ?? 'utf-8').decode(bytes);
}

/** The bytes of a file in UTF-8, whether it is that or UTF-16. */
export async function* asUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let isFirst = true;
  for await (const bytes of chunks) {
    const encoding = isFirst ? utf16Of(bytes) : undefined;
    if (encoding) decoder = new TextDecoder(encoding);
    isFirst = false;
    yield decoder ? encoder.encode(decoder.decode(bytes, { stream: true })) : bytes;
  }
}

/**
 * The bytes of a file that older programs of Windows have written in UTF-8: what is no UTF-8 before anything else was. `onOlder` is
 * told when that is so.
 */
export async function* fromWindows(chunks: AsyncIterable<Uint8Array>, onOlder: () => void): AsyncGenerator<Uint8Array> {
  const strict = new TextDecoder('utf-8', { fatal: true });
  const encoder = new TextEncoder();
  let found: 'plain' | 'utf-8' | 'older' = 'plain';
  let older: InstanceType<typeof TextDecoder> | undefined;
  for await (const bytes of chunks) {
    if (found === 'plain') {
      const start = bytes.findIndex((byte) => byte > 127);
      // A letter whose bytes are in two pieces is taken for one of UTF-8.
      if (start >= 0) found = isUtf8(strict, bytes) ? 'utf-8' : 'older';
      if (found === 'older') {
        older = new TextDecoder('windows-1252');
        onOlder();
      }
    }
    yield older ? encoder.encode(older.decode(bytes, { stream: true })) : bytes;
  }
}

function isUtf8(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): boolean {
  try {
    decoder.decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** What is known of a file's encoding so far; it only ever turns from sound to damaged. */
export type Encoding = { damaged: boolean };

/** The bytes of a file, chunk by chunk, as they are asked for. Tells `onBytes` how many each chunk has. */
export async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: ((bytes: number) => void) | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of chunks) {
    onBytes?.(bytes.length);
    yield bytes;
  }
}

/**
 * The bytes of a file, chunk by chunk, as they are asked for. Records in `encoding` when they are not UTF-8, so that replacement characters can be told from those that the file really contains.
 */
export async function* checkBytes(chunks: AsyncIterable<Uint8Array>, encoding: Encoding): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const bytes of chunks) {
    if (!encoding.damaged) {
      try {
        decoder.decode(bytes, { stream: true });
      } catch {
        encoding.damaged = true;
      }
    }
    yield bytes;
  }
}
