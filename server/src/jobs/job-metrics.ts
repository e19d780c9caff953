import { traced } from '../tracing/span.ts';
import { Counter, Histogram, Registry } from './metric-kinds.ts';

/** Metrics of the background jobs of this process, at /metrics together with those of requests. */
export const jobRegistry = new Registry();

const runs = new Counter({
  name: 'jobs_total',
  help: 'Background jobs that ran, by name and result',
  labelNames: ['job', 'result'],
  registers: [jobRegistry],
});
const duration = new Histogram({
  name: 'job_duration_seconds',
  help: 'Duration of background jobs',
  labelNames: ['job'],
  buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 30],
  registers: [jobRegistry],
});

/** Counts, times and traces each run of a job; rethrows errors. */
export function counted<Args extends unknown[]>(job: string, run: (...args: Args) => Promise<void>) {
  return async (...args: Args): Promise<void> => {
    const stop = duration.startTimer({ job });
    try {
      await traced(
        () => ({
          name: `job ${job}`,
          kind: 'consumer',
          attributes: { 'commerce.job': job, 'commerce.site_id': textIn(args, 'site_id') },
          // Continues the trace of the request that added it.
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

/** A job for one shop has its site_id in the payload; a job of a traced request also has the trace. */
function textIn([payload]: unknown[], name: 'site_id' | 'traceparent'): string | undefined {
  const text = ((payload ?? {}) as Record<string, unknown>)[name];
  return typeof text === 'string' ? text : undefined;
}
