import { randomFillSync } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

const BYTES = 16;
const random = new Uint8Array(256 * BYTES);
let drawn = random.length;
const last = { msecs: 0, seq: 0 };

/**
 * Returns a UUID of version 7 for a new row, greater than all previous ones of this process. Random bytes are drawn for
 * many ids together, because drawing them takes most of the time.
 */
export function newId(): string {
  if (drawn === random.length) {
    randomFillSync(random);
    drawn = 0;
  }
  const own = random.subarray(drawn, drawn + BYTES);
  drawn += BYTES;
  const now = Date.now();
  if (now > last.msecs) {
    last.msecs = now;
    // Starts below half of the range, so that increments do not overflow.
    last.seq = new DataView(own.buffer, own.byteOffset).getUint32(0) >>> 1;
  } else {
    last.seq += 1;
  }
  return uuidv7({ random: own, ...last });
}
