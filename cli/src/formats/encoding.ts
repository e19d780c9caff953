/** What is known of a file's encoding so far; it only ever turns from sound to damaged. */
export type Encoding = { damaged: boolean };

/**
 * The bytes of a file, chunk by chunk, as they are asked for. Tells `onBytes` how many each chunk has, and records in
 * `encoding` when they are not UTF-8, so that replacement characters can be told from those that the file really contains.
 */
export async function* checkBytes(
  chunks: AsyncIterable<Uint8Array>,
  encoding: Encoding,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const bytes of chunks) {
    if (!encoding.damaged) {
      try {
        decoder.decode(bytes, { stream: true });
      } catch {
        encoding.damaged = true;
      }
    }
    onBytes?.(bytes.length);
    yield bytes;
  }
}
