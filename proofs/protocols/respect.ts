import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { World } from '../testing/tenant.ts';
import { findingsIn } from './prism.ts';

/**
 * The result of `redocly respect`, which runs the flows of `spec/flows` and checks each response against the contract
 * and the flow.
 */
export interface Played {
  flows: number;
  steps: number;
  checks: number;
}

const REDOCLY = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js');
const FLOWS = fileURLToPath(new URL('../../spec/flows', import.meta.url));

/**
 * Runs all flows for the first tenant at this URL, which may be the URL of Prism. Each failure and finding is a
 * violation.
 */
export async function playFlows(world: World, baseUrl: string): Promise<Played> {
  const [{ canary, site_id, secrets, ids }] = world.tenants;
  // Deletes the payment accounts that other proofs may have created, because they would replace the test provider.
  await world.owner.query('delete from commerce.payment_accounts where site_id = $1', [site_id]);
  const inputs = {
    site_id,
    storefront_token: secrets.StorefrontToken,
    api_key: secrets.ApiKey,
    slug: `${canary}-staple`,
    discount_code: ids.discount_code[0],
    email: `${canary}@example.com`,
  };
  const directory = await mkdtemp(join(tmpdir(), 'commerce-flows-'));
  const log = join(directory, 'log.json');
  const files = (await readdir(FLOWS)).map((file) => join(FLOWS, file));
  const args = ['--server', `api=${baseUrl}`, '--input', JSON.stringify(inputs), '--json-output', log];
  try {
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off' };
    const run = promisify(execFile)(process.execPath, [REDOCLY, 'respect', ...files, ...args], { env });
    const output = await run.then(
      ({ stdout, stderr }) => stdout + stderr,
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
    );
    const text = await readFile(log, 'utf8').catch(() => undefined);
    if (!text) throw new Error(`Respect did not play the flows:\n${output.slice(-2_000)}`);
    const { files: played } = JSON.parse(text) as { files: Record<string, { executedWorkflows: Workflow[] }> };
    return count(
      world,
      Object.values(played).flatMap(({ executedWorkflows }) => executedWorkflows),
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface Workflow {
  workflowId: string;
  executedSteps: (Workflow | Step)[];
}

interface Step {
  stepId: string;
  checks: { name: string; status: string; message?: string }[];
  response?: { statusCode: number; headers: Record<string, string>; body: unknown };
}

function count(world: World, flows: Workflow[]): Played {
  const played = { flows: flows.length, steps: 0, checks: 0 };
  const walk = (flow: Workflow, at: string): void => {
    for (const step of flow.executedSteps) {
      if ('executedSteps' in step) {
        walk(step, `${at} / ${step.workflowId}`);
        continue;
      }
      played.steps += 1;
      for (const { location, message } of findingsIn(step.response?.headers['sl-violations'])) {
        world.violations.add(`flow ${at} / ${step.stepId}: Prism: ${location.join('/')}: ${message}`);
      }
      for (const { name, status, message } of step.checks) {
        played.checks += 1;
        if (status === 'success') continue;
        const answer = JSON.stringify(step.response).slice(0, 400);
        world.violations.add(`flow ${at} / ${step.stepId}: ${name}: ${message}: ${answer}`);
      }
    }
  };
  for (const flow of flows) walk(flow, flow.workflowId);
  return played;
}
