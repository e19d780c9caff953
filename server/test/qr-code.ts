import jsQR from 'jsqr';

/** Pixels per module of the code. With fewer pixels, the reader samples the edges of modules. */
const SCALE = 4;

/** Decodes a QR code of dark and light modules. */
export function readCode(modules: boolean[][] = []): string | undefined {
  const size = modules.length * SCALE;
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255);
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      if (modules[Math.floor(y / SCALE)]?.[Math.floor(x / SCALE)])
        pixels.fill(0, (y * size + x) * 4, (y * size + x) * 4 + 3);
    }
  }
  return read(pixels, size, size);
}

/** Decodes the QR code in an image of RGBA pixels. */
export function read(pixels: Uint8ClampedArray, width: number, height: number): string | undefined {
  const found = (jsQR as unknown as typeof jsQR.default)(pixels, width, height);
  return found ? Buffer.from(found.binaryData).toString() : undefined;
}
