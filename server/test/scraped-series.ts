import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The series that the alert rules use. The default metrics of the process are left out. */
const USED =
  /^(http_request_duration_seconds_(count|bucket)|jobs_|database_|redis_up|data_directory_|payment_provider_|webhook_attempts_total|catalogue_cache_total)/;

/**
 * Series that were scraped from servers, for evaluating the rules in `promtool`: each scrape counts as a minute, so
 * that an hour takes seconds.
 */
export class ScrapedSeries {
  readonly #series = new Map<string, (string | undefined)[]>();
  #minutes = 0;

  /** Scrapes all instances, as Prometheus would with the job `commerce`. */
  async scrape(instances: Record<string, string>): Promise<void> {
    for (const [instance, baseUrl] of Object.entries(instances)) {
      const text = await fetch(`${baseUrl}/metrics`).then(
        (response) => response.text(),
        () => undefined,
      );
      this.#note('up', '', instance, text === undefined ? '0' : '1');
      for (const [, name = '', labels = '', value = ''] of (text ?? '').matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)) {
        if (USED.test(name)) this.#note(name, labels.replace(/\bjob="/, 'exported_job="'), instance, value);
      }
    }
    this.#minutes += 1;
  }

  #note(name: string, labels: string, instance: string, value: string): void {
    const key = `${name}{job="commerce",instance="${instance}"${labels && `,${labels}`}}`;
    const values = this.#series.get(key) ?? [];
    this.#series.set(key, values);
    values[this.#minutes] = value;
  }

  /** The names of the alerts that fire at the end, by the rules of a file. */
  firing(promtool: string, rules: string): string[] {
    const folder = mkdtempSync(join(tmpdir(), 'commerce-alerts-'));
    try {
      const file = join(folder, 'test.yml');
      const end = this.#minutes - 1;
      const series = [...this.#series].map(([one, values]) => ({
        series: one,
        values: Array.from({ length: this.#minutes }, (_, minute) => values[minute] ?? '_').join(' '),
      }));
      const expr = 'count by (alertname) (ALERTS{alertstate="firing"})';
      // The test expects no alert, so that promtool prints the alerts that fire.
      const test = {
        interval: '1m',
        input_series: series,
        promql_expr_test: [{ expr, eval_time: `${end}m`, exp_samples: [{ labels: '{alertname="none"}', value: 1 }] }],
      };
      writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests: [test] }));
      const printed = outputOf(promtool, ['test', 'rules', file]);
      const got = printed.split(/^\s*got:/m)[1];
      if (got === undefined) throw new Error(printed);
      return [...got.matchAll(/alertname="(\w+)"/g)].map(([, name = '']) => name).toSorted();
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}

function outputOf(program: string, args: string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return `${stdout}${stderr}`;
  }
}
