import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Of each half of the young heap. V8 by itself has gone to 110 MB for both, and keeps them while there is traffic. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * A start allocates more in a moment than a server at rest ever does again, and V8 keeps the room that it has made for that:
 * twenty megabytes. So it makes none while the server starts, and collects its young objects a little more often; afterwards
 * it makes room as traffic needs it, up to a bound.
 */
export function holdYoungHeap(): () => void {
  growBy(1);
  return () => {
    boundGrowth();
    new PerformanceObserver(boundGrowth).observe({ type: 'gc' });
  };
}

const V8_OWN = 2;

/** V8 takes its bound from the command line alone, but asks after each collection by how much it may grow. */
function boundGrowth(): void {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  const half = young ? young.space_used_size + young.space_available_size : MOST_BYTES;
  growBy(half * V8_OWN > MOST_BYTES ? 1 : V8_OWN);
}

function growBy(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
