import { setTimeout as sleep } from 'node:timers/promises';
import type { JobHelpers, RunnerOptions } from 'graphile-worker';
import type { JobHolder } from './abandoned-jobs.ts';
import { counted } from './job-metrics.ts';
import { type Kept, keepRunning } from './keep-running.ts';
import { MailServerDown } from './mailer.ts';
import { type MailDeps, sendMail } from './send-mail.ts';

/** Interval at which an unresponsive mail server is tried again. */
const PROBE_EVERY_MS = 5_000;

export interface MailRunner extends MailDeps {
  /** Options of the runner: its connection, log and number of concurrent mails. */
  options: RunnerOptions;
  /** Called with each runner. */
  announce: (holder: JobHolder) => void;
  /** Called with each error of a runner's statements. */
  onError: (error: unknown) => void;
}

/**
 * Sends queued mails in a separate runner, so that a hanging mail server delays only mails. If the server is
 * unreachable or rejects the login, the runner stops (a circuit breaker): mails wait in the queue without using up
 * their attempts, and the server is tried every few seconds until it answers.
 */
export async function runMails({ options, announce, onError, ...deps }: MailRunner): Promise<Pick<Kept, 'stop'>> {
  const { mailer, logger } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const send = sendMail(deps);
  let pause: Promise<void> | undefined;

  const sendOrPause = async (payload: unknown, helpers: JobHelpers) => {
    try {
      await send(payload, helpers);
    } catch (error) {
      // `waitForServer` is not awaited, because it stops the runner, which waits for its jobs to end, and this is one
      // of them.
      if (error instanceof MailServerDown) pause ??= waitForServer(error);
      throw error;
    }
  };
  const taskList = { send_mail: counted('send_mail', sendOrPause) };
  const begin = () => keepRunning({ ...options, taskList }, logger, announce, onError);
  let current = await begin();

  async function waitForServer(cause: MailServerDown): Promise<void> {
    logger.warn({ cause }, 'the mail server does not answer: mails wait until it does');
    await current.stop();
    while (!signal.aborted && !(await mailer.isReady())) await rest(signal);
    while (!signal.aborted) {
      const begun = await begin().catch((cause: unknown) => {
        onError(cause);
        logger.warn({ cause }, 'mails cannot be sent yet');
      });
      if (begun) {
        current = begun;
        break;
      }
      await rest(signal);
    }
    pause = undefined;
  }

  return {
    async stop() {
      stopping.abort();
      await pause;
      await current.stop();
    },
  };
}

async function rest(signal: AbortSignal): Promise<void> {
  await sleep(PROBE_EVERY_MS, undefined, { signal }).catch(() => undefined);
}
