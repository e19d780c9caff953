import { expect, test } from 'vitest';
import { testServer } from '../../test/server.ts';
import { counted } from './job-metrics.ts';

test('/metrics shows job runs and their results', async () => {
  const { baseUrl } = await testServer();
  await counted('good', async () => {})();
  const failing = counted('bad', async () => {
    throw new Error('no');
  });

  await expect(failing()).rejects.toThrow('no');
  const text = await (await fetch(`${baseUrl}/metrics`)).text();

  expect(text).toContain('jobs_total{job="good",result="done"} 1');
  expect(text).toContain('jobs_total{job="bad",result="failed"} 1');
  expect(text).toContain('job_duration_seconds_count{job="bad"} 1');
});
