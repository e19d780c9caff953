import { Counter, Histogram, processRegistry } from '../metrics/kinds.ts';
import { traced } from '../tracing/span.ts';

const runs = new Counter({
  name: 'jobs_total',
  help: 'Background jobs that ran, by name and result',
  labelNames: ['job', 'result'],
  registers: [processRegistry],
});
const duration = new Histogram({
  name: 'job_duration_seconds',
  help: 'Duration of background jobs',
  labelNames: ['job'],
  buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 30],
  registers: [processRegistry],
});

/**
 * Wraps a job, so that each run is counted, timed and traced. Errors are rethrown. Both counters start at 0, because a
 * rate does not include the first value of a series.
 */
export function counted<Args extends unknown[]>(job: string, run: (...args: Args) => Promise<void>) {
  for (const result of ['done', 'failed']) runs.inc({ job, result }, 0);
  return async (...args: Args): Promise<void> => {
    const stop = duration.startTimer({ job });
    try {
      await traced(
        () => ({
          name: `job ${job}`,
          kind: 'consumer',
          attributes: { 'commerce.job': job, 'commerce.site_id': textIn(args, 'site_id') },
          // Continues the trace of the request that added the job.
          headers: { traceparent: textIn(args, 'traceparent') },
        }),
        () => run(...args),
      );
      runs.inc({ job, result: 'done' });
    } catch (error) {
      runs.inc({ job, result: 'failed' });
      throw error;
    } finally {
      stop();
    }
  };
}

/** A text in the payload of a job. A job for one shop has a site_id there; a job of a traced request has its trace. */
function textIn([payload]: unknown[], name: 'site_id' | 'traceparent'): string | undefined {
  const text = ((payload ?? {}) as Record<string, unknown>)[name];
  return typeof text === 'string' ? text : undefined;
}
